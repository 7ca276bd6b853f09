"""A page that is slower than here, so that a test which reads too early fails at once: OFC_STRESS.

`OFC_STRESS="throttle=4,late=300" make test ARGS="tests/server tests/site -m browser"` tries it; the suite
itself runs without. The parts, all of them optional:

throttle: the page's processor is so many times slower.
late: milliseconds by which every answer, message, timer and frame comes late to the page.
slow: milliseconds that the test waits before whatever it does, as on a machine that is busy elsewhere.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

PARTS = ("throttle", "late", "slow")
# The order of messages stays as it is: each waits for the one before it.
LATE = """(() => {
  const wait = globalThis.setTimeout.bind(globalThis);
  const frame = globalThis.requestAnimationFrame.bind(globalThis);
  globalThis.setTimeout = (call, time = 0, ...values) => wait(call, time + LATE, ...values);
  globalThis.requestAnimationFrame = call => wait(() => frame(call), LATE);
  const later = Plain => class extends Plain {
    set onmessage(call) {
      let before = Promise.resolve();
      super.onmessage = event => {
        const moment = new Promise(resolve => wait(resolve, LATE));
        before = before.then(() => moment).then(() => call(event));
      };
    }
  };
  globalThis.WebSocket = later(globalThis.WebSocket);
  globalThis.Worker = later(globalThis.Worker);
})();"""


def stress() -> dict[str, float]:
    """What the environment asks for, by part."""
    pairs = [part.split("=") for part in os.environ.get("OFC_STRESS", "").split(",") if part]
    unknown = [name for name, _ in pairs if name not in PARTS]
    if unknown:
        raise ValueError(f"OFC_STRESS does not know {unknown[0]!r}: give some of {', '.join(PARTS)}")
    return {name: float(value) for name, value in pairs}


def slow_down(page: Page) -> None:
    """Make a page as slow as the environment asks for."""
    asked = stress()
    if not asked.keys() & {"throttle", "late"}:
        return
    session = page.context.new_cdp_session(page)  # what it sets holds as long as it is open
    if "throttle" in asked:
        session.send("Emulation.setCPUThrottlingRate", {"rate": asked["throttle"]})
    if "late" in asked:
        session.send("Network.enable")
        session.send(
            "Network.emulateNetworkConditions",
            {"offline": False, "latency": asked["late"], "downloadThroughput": -1, "uploadThroughput": -1},
        )
        page.add_init_script(LATE.replace("LATE", str(asked["late"])))
