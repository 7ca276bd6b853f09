"""What hosts and browsers do to the static site: newer versions, copies, redirects, no room, a mere file."""

from __future__ import annotations

import functools
import http.server
import json
import re
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.server.browser import TablePage
from tests.site.hosts import Pretty, Quiet
from tests.site.test_browser import OPEN_ROOM, RULES

pytestmark = pytest.mark.browser
IN_CHARGE = """new Promise(done => {
  const look = () => (navigator.serviceWorker.controller ? done() : setTimeout(look, 20));
  look();
})"""
NEWER_WAITS = """new Promise(done => {
  const look = async () => {
    const registration = await navigator.serviceWorker.getRegistration();
    if (registration.waiting) return done();
    await registration.update();
    setTimeout(look, 50);
  };
  look();
})"""
# The store of a browser that has no room for the placements of a seat, while a page says so.
FULL = """
let full = null;
new BroadcastChannel("full").onmessage = ({ data }) => (full = data);
const put = Store.prototype.put;
Store.prototype.put = function (values) {
  const seat = values.rooms?.[0].game?.hand?.decisions.at(-1)?.seat;
  if (seat === full) return Promise.reject(new DOMException("no room", "QuotaExceededError"));
  return put.call(this, values);
};
"""
DENIED = """Object.defineProperty(window, "localStorage", {
  get() { throw new DOMException("denied", "SecurityError"); },
})"""


@contextmanager
def served(folder: Path, handler: type[Quiet] = Quiet) -> Iterator[str]:
    """The address of a host."""
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(handler, directory=str(folder))
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


@pytest.fixture
def copies(site: Path, tmp_path: Path) -> Path:
    """A host with two copies of the site."""
    for name in ("one", "other"):
        shutil.copytree(site, tmp_path / name)
    return tmp_path


@pytest.fixture
def table(browser: Any) -> Iterator[TablePage]:
    """A page of a fresh browser; it may report no error."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-GB")
    table = TablePage(context.new_page(), "")
    yield table
    context.close()
    assert table.errors == []


def make_newer(folder: Path) -> None:
    """A next version of the site: a module that tells, and what the build would write."""
    module = folder / "static/js/announce.js"
    module.write_text(module.read_text(encoding="utf-8") + "\nwindow.newer = true;\n", encoding="utf-8")
    worker = folder / "service_worker.js"
    before = worker.read_text(encoding="utf-8")
    after = re.sub(r'^const VERSION = "\w+";$', 'const VERSION = "newer";', before, flags=re.MULTILINE)
    assert after != before
    worker.write_text(after, encoding="utf-8")


def reload_until(page: Any, true: str) -> None:
    """Visit again until something is true of the page; a page that sends on breaks a visit off."""
    from playwright.sync_api import Error

    for _ in range(30):
        with suppress(Error):
            page.reload()
            page.wait_for_function(true, timeout=4000)
            return
    raise AssertionError(f"{true} never came")


def test_a_newer_version_takes_over_whole_and_when_one_window_is_left(table: TablePage, copies: Path) -> None:
    page = table.page
    with served(copies) as host:
        page.goto(f"{host}one/")
        page.evaluate(IN_CHARGE)
        make_newer(copies / "one")
        other = page.context.new_page()
        other.goto(f"{host}one/drills.html")
        page.evaluate(NEWER_WAITS)
        page.reload()
        table.expect("#ai-form").to_be_visible()
        assert page.evaluate("window.newer") is None  # the other window would have got parts of two versions
        other.close()
        reload_until(page, "window.newer")  # a browser may count a window that has just been closed
        table.expect("#ai-form").to_be_visible()
        assert len(page.evaluate("caches.keys()")) == 1
        page.context.set_offline(True)
        page.reload()
        table.expect("#ai-form").to_be_visible()
        assert page.evaluate("window.newer")


def test_a_window_is_told_of_a_newer_version(table: TablePage, copies: Path) -> None:
    page = table.page
    with served(copies) as host:
        page.goto(f"{host}one/")
        page.evaluate(IN_CHARGE)
        page.reload()
        make_newer(copies / "one")
        page.evaluate(NEWER_WAITS)
        page.evaluate(
            "navigator.serviceWorker.getRegistration().then(one => one.waiting.postMessage('take over'))"
        )
        table.expect("#toast").to_contain_text("newer version")


def test_copies_on_a_host_leave_each_other_alone(table: TablePage, copies: Path) -> None:
    page = table.page
    with served(copies) as host:
        for name in ("one", "other"):
            page.goto(f"{host}{name}/")
            page.evaluate(IN_CHARGE)
        page.context.set_offline(True)
        for name in ("one/", "one/index.html", "one/?room=none", "other/editor.html?x=1"):
            page.goto(host + name)
            table.expect("header.bar").to_be_visible()


def test_a_host_may_send_pages_on(table: TablePage, copies: Path) -> None:
    page = table.page
    with served(copies, Pretty) as host:
        page.goto(f"{host}one/")
        page.evaluate(IN_CHARGE)
        page.context.set_offline(True)
        page.goto(f"{host}one/drills.html?kind=foul&seed=2")
        page.wait_for_selector("#drill[data-drill='foul-2']")


def test_without_room_it_says_so_and_goes_on_when_there_is_some(browser: Any, copies: Path) -> None:
    context = browser.new_context(
        viewport={"width": 1280, "height": 800}, locale="en-GB", service_workers="block"
    )
    page = context.new_page()
    table = TablePage(page, "")
    store = copies / "one/static/js/engine/store.js"
    store.write_text(store.read_text(encoding="utf-8") + FULL, encoding="utf-8")
    with served(copies) as host:
        page.goto(f"{host}one/")
        options = {"level": "novice", "name": "Ann", "rules": RULES, "seed": 4}
        room = page.evaluate(OPEN_ROOM, options)
        page.goto(f"{host}one/?room={room}")
        table.wait_for_turn()
        page.evaluate("window.full = new BroadcastChannel('full')")
        page.evaluate("full.postMessage(0)")
        table.lay_out(table.click)
        page.click("#confirm")
        table.expect("#toast").to_contain_text("no room left")
        page.evaluate("full.postMessage(1); document.getElementById('toast').textContent = ''")
        page.click("#confirm")
        # Nobody can ask the machine again: what it could not keep comes back by itself.
        table.expect("#toast").to_contain_text("no room left")
        table.expect("#table").to_have_attribute("data-acting", "other")
        page.evaluate("full.postMessage(null)")
        table.wait_for_turn()
    context.close()


@pytest.mark.parametrize("why", ["storage", "file"])
def test_where_it_cannot_work_it_says_why(browser: Any, copies: Path, why: str) -> None:
    context = browser.new_context(locale="en-GB")
    page = context.new_page()
    if why == "storage":
        page.add_init_script(DENIED)
    with served(copies) as host:
        page.goto(f"{host}one/" if why == "storage" else (copies / "one/index.html").as_uri())
        TablePage(page, "").expect("[role=alert].banner").to_contain_text(
            "site data" if why == "storage" else "opened as a file"
        )
    context.close()


def test_a_worker_names_every_file(site: Path) -> None:
    text = (site / "service_worker.js").read_text(encoding="utf-8")
    (listed,) = re.findall(r"^const FILES = (.*);$", text, re.MULTILINE)
    files = json.loads(listed)
    assert "./" in files
    assert all((site / name).exists() for name in files)
    assert re.search(r'^const VERSION = "[0-9a-f]{16}";$', text, re.MULTILINE)
