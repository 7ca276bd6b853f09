"""Where networks learn: the processor, or a graphics card if torch finds one.

Only the processor is tested. Self-play and matches are native and stay there; what the learner computes goes
to the device and back, so a small network gains little from one.
"""

from __future__ import annotations

import torch


def device_of(name: str) -> torch.device:
    """The device of this name; a sentence where there is none."""
    try:
        device = torch.device(name)
    except RuntimeError:
        raise ValueError(f"there is no device {name!r}: use cpu or cuda") from None
    if device.type == "cpu":
        return device
    if device.type != "cuda":
        raise ValueError(f"networks do not learn on {name!r}: use cpu or cuda")
    found = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if (device.index or 0) >= found:
        raise ValueError(
            f"torch finds {found} CUDA devices, and --device is {name}: leave it out to learn on the cpu"
        )
    return device
