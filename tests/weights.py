"""What stands in the header of a weights file, for tests that write damaged ones."""

from pathlib import Path

from safetensors import safe_open


def header(path: Path) -> dict[str, str]:
    """The metadata as it is in the file."""
    with safe_open(path, framework="numpy") as file:
        return dict(file.metadata() or {})
