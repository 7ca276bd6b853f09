"""Pages: marked blocks of figures, which a script writes and nothing else; names as Markdown shows them."""

from __future__ import annotations

import re

BLOCK = "<!-- figures: {name} -->\n{body}\n<!-- end of figures -->"


def replace_block(text: str, name: str, body: str) -> str:
    """The page with a block's content exchanged."""
    start, end = BLOCK.format(name=name, body="\0").split("\n\0\n")
    pattern = re.compile(re.escape(start) + r"(?:(?!<!--).)*?" + re.escape(end), flags=re.DOTALL)
    if len(pattern.findall(text)) != 1:
        raise ValueError(f"the page has no block of the form {start} … {end}: write one into it, once")
    return pattern.sub(lambda _: BLOCK.format(name=name, body=body), text)


def plain(name: str) -> str:
    """Somebody's name in Markdown: none of its letters is read as a sign, and it stays on its line."""
    return re.sub(r"[\\|*`<>\[\]~&$]|(?<!\w)_|_(?!\w)", r"\\\g<0>", " ".join(name.split()))
