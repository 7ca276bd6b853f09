"""The documentation as a site: these pages, and the API from the docstrings. `make docs` builds it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent

project = "ofc-env"
author = "The ofc-env authors"
release = re.findall(r'^__version__ = "(.+?)"', (ROOT / "ofc_env/__init__.py").read_text(), re.MULTILINE)[0]
extensions = ["myst_parser", "autoapi.extension", "sphinx.ext.napoleon"]
exclude_patterns = ["benchmark"]  # data of the protocol, no pages
suppress_warnings = [
    "docutils",  # docstrings are plain text and Markdown, not reStructuredText
    "autoapi.python_import_resolution",  # names that a module imports from one that assigns them in a tuple
    "ref.python",  # types in signatures that several modules have under one name
]

html_theme = "furo"
html_title = "OFC Pineapple"
html_copy_source = False
html_show_sphinx = False
html_show_sourcelink = False
default_role = "code"
smartquotes = False
myst_heading_anchors = 4  # links to headings are written as the code host makes them

autoapi_dirs = [str(ROOT / package) for package in ("ofc_env", "agents", "wrappers")]
autoapi_root = "api"
autoapi_add_toctree_entry = False  # the index links to it
autoapi_file_patterns = ["*.pyi", "*.py"]
autoapi_ignore = ["*/live_player/*", "*/__main__.py"]
autoapi_options = ["members", "undoc-members", "show-module-summary", "imported-members"]
autoapi_member_order = "groupwise"
autoapi_python_class_content = "both"

napoleon_use_ivar = True  # attributes that a docstring lists are no second description of them

PAGE = re.compile(r"\]\(([\w-]+)\.md\)")


def with_contents(app: Any, name: str, source: list[str]) -> None:
    """The contents of the site: the pages that the index links to, in its order, then any others."""
    if name == "index":
        others = sorted(page.stem for page in Path(__file__).parent.glob("*.md") if page.stem != name)
        pages = dict.fromkeys([*PAGE.findall(source[0]), *others])
        packages = [f"api/{Path(folder).name}/index" for folder in autoapi_dirs]
        for caption, names in (("Pages", pages), ("API", packages)):
            source[0] += "\n".join(
                ["", "```{toctree}", ":hidden:", f":caption: {caption}", "", *names, "```", ""]
            )


def shown_elsewhere(app: Any, what: str, name: str, found: Any, skip: bool, options: Any) -> bool | None:
    """What a module imports is described where it is defined, unless that is the native core."""
    if found.imported and not found.obj.get("original_path", "").startswith("ofc_env._core."):
        return True
    return None


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("autoapi-skip-member", shown_elsewhere)
    app.connect("source-read", with_contents)
