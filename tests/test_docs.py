"""The code on the pages for readers runs as it stands there."""

import re
from pathlib import Path

import pytest

PAGES = Path(__file__).parent.parent / "docs"


@pytest.mark.parametrize("page", ["rules.md", "environment.md"])
def test_snippets_run(page):
    """All snippets of a page in order, with one set of names, as a reader would paste them."""
    text = (PAGES / page).read_text(encoding="utf-8")
    snippets = list(re.finditer(r"^```python\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE))
    assert snippets
    names: dict[str, object] = {}
    for snippet in snippets:
        lines_before = text[: snippet.start(1)].count("\n")
        code = "\n" * lines_before + snippet.group(1)  # so that an error names the line of the page
        exec(compile(code, str(PAGES / page), "exec"), names)
