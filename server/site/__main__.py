"""`python -m server.site`: build the static site."""

from __future__ import annotations

import argparse
from pathlib import Path

from ofc_env.extras import MissingExtra
from server.site.build import build_site, first_visit


def main() -> None:
    """Build, and say what a first visit weighs."""
    parser = argparse.ArgumentParser(prog="python -m server.site", description=main.__doc__)
    parser.add_argument("--out", type=Path, default=Path("site"), help="folder to write; what is in it goes")
    folder = parser.parse_args().out
    if folder.exists() and any(folder.iterdir()) and not (folder / "service_worker.js").is_file():
        parser.error(f"{folder} holds something else than a site: name another folder")
    try:
        build_site(folder)
    except MissingExtra as refusal:
        parser.error(str(refusal))
    sizes = first_visit(folder)
    largest = sorted(sizes, key=lambda name: -sizes[name])[:3]
    named = ", ".join(f"{name} {sizes[name] / 1000:.0f}" for name in largest)
    print(f"{folder}: {len(sizes)} files, {sum(sizes.values()) / 1000:.0f} kB compressed ({named})")


if __name__ == "__main__":
    main()
