"""What the static site takes in Chromium: python -m tests.site.measure [FOLDER].

Milliseconds: of the processor for 500 simulations of the champion, the mean of some searches; by the clock
from the load of the page to the first card, the best of some tries with files kept by the service worker.
Kilobytes of a first visit, compressed.
"""

from __future__ import annotations

import functools
import http.server
import json
import sys
import threading
from pathlib import Path
from typing import Any

from server.site.build import build_site, first_visit
from tests.server.browser import open_browser
from tests.site.hosts import Quiet

SEARCH = """async ({ information, repeats }) => {
  const base = new URL("static/js/engine/", location.href);
  const { Core } = await import(new URL("core.js", base));
  const { networks } = await (await fetch(new URL("engine.json", base))).json();
  const core = await Core.load(await fetch(new URL("core.wasm", base)));
  const [network] = networks;
  core.learn(await (await fetch(new URL(network.file, base))).arrayBuffer(), network);
  window.search = () => {
    for (let i = 0; i < repeats; i += 1) core.ask("rank", information, "alphazero:sims=500", i);
  };
  window.search(); // the engine compiles what is used much once more
}"""
FIRST_CARD = """async () => {
  const seen = () => document.querySelector("#table[data-acting=own] #hand .card");
  const loaded = performance.timing.loadEventEnd || Date.now();
  document.querySelector("#ai-form button[type=submit]").click();
  while (!seen()) await new Promise(requestAnimationFrame);
  return Date.now() - loaded;
}"""
SEARCHES = 20
TURNS = {
    "opening": "turn=0 hand=Ah,Kd,7c,7s,2h button=on chips=200 opponent_chips=200",
    "turn 2": "turn=2 top=Qh middle=7c,7s bottom=Ah,Kh,9h,2h opponent_top=Kc opponent_middle=5d,5c "
    "opponent_bottom=Ts,Js,Qs,8s hand=Qd,3h,9c discards=4c button=on chips=200 opponent_chips=200",
}


def _thread_time(session: Any) -> float:
    """Seconds of processor time of the page's thread."""
    metrics = session.send("Performance.getMetrics")["metrics"]
    return float(next(each["value"] for each in metrics if each["name"] == "TaskDuration"))


def measure(browser: Any, url: str) -> dict[str, float]:
    """Milliseconds by name."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(url)
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    session = context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    found = {}
    for name, information in TURNS.items():
        page.evaluate(SEARCH, {"information": information, "repeats": SEARCHES})
        before = _thread_time(session)
        page.evaluate("window.search()")
        found[f"500 simulations, {name}"] = 1000 * (_thread_time(session) - before) / SEARCHES
    tries = []
    for _ in range(5):
        page.goto(url, wait_until="load")
        tries.append(page.evaluate(FIRST_CARD))
    found["load to first card"] = min(tries)
    context.close()
    return found


def main() -> None:
    """Build the site if there is none in the folder, serve it and measure."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "site")
    if not folder.is_dir():
        build_site(folder)
    sizes = first_visit(folder)
    handler = functools.partial(Quiet, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with open_browser() as browser:
        found = measure(browser, f"http://127.0.0.1:{server.server_port}/")
    found["first visit, kB"] = sum(sizes.values()) / 1000
    print(json.dumps({name: round(value, 1) for name, value in found.items()}, indent=2))


if __name__ == "__main__":
    main()
