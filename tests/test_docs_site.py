"""The documentation as a site: built without a warning, and every link and image in it leads somewhere."""

from __future__ import annotations

import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest

pytest.importorskip("sphinx")

ROOT = Path(__file__).parent.parent
PAGES = sorted(page.stem for page in (ROOT / "docs").glob("*.md"))


class Links(HTMLParser):
    """The links, images and anchors of a page, and its title."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors = {""}
        self.title = ""
        self._in_title = False
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._in_title |= tag == "h1"
        for name, value in attrs:
            if name == "id" and value:
                self.anchors.add(value)
            elif name in ("href", "src") and value:
                self.links.append(value)

    def handle_endtag(self, tag: str) -> None:
        self._in_title &= tag != "h1"

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title += data


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    words = ["-q", "-W", "--keep-going", "-d", str(folder / "doctrees"), "-b", "html"]
    built = subprocess.run(
        [sys.executable, "-m", "sphinx", *words, str(ROOT / "docs"), str(folder / "html")],
        capture_output=True,
        text=True,
        timeout=3600,
    )
    assert built.returncode == 0, built.stderr
    return folder / "html"


def test_every_link_leads_somewhere(site: Path) -> None:
    pages = {page: Links(page) for page in site.rglob("*.html")}
    broken = []
    for page, found in pages.items():
        for link in found.links:
            if link.startswith(("http:", "https:", "data:", "mailto:")):
                continue
            path, anchor = urldefrag(unquote(link))
            target = (page.parent / path.partition("?")[0]).resolve() if path else page
            if not target.exists() or (target in pages and anchor not in pages[target].anchors):
                broken.append(f"{page.relative_to(site)}: {link}")
    assert not broken
    assert sum(len(found.links) for found in pages.values()) > 1000


def test_every_page_and_the_api_are_there(site: Path) -> None:
    index = Links(site / "index.html").links
    for page in PAGES:
        title = (ROOT / f"docs/{page}.md").read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
        # The page itself, not one that the site makes under the same name, such as its search.
        assert Links(site / f"{page}.html").title.rstrip("¶") == title.replace("`", "")
        assert page == "index" or f"{page}.html" in index
    for package in ("ofc_env", "agents", "wrappers"):
        assert f"api/{package}/index.html" in index
    api = (site / "api/ofc_env/index.html").read_text(encoding="utf-8")
    assert "A copy in which each of" in api  # Hand.renamed, of the native core
    for picture in (ROOT / "docs").glob("*.png"):
        shown = [
            page for page in PAGES if f"({picture.name})" in (ROOT / f"docs/{page}.md").read_text("utf-8")
        ]
        assert not shown or (site / "_images" / picture.name).is_file()
