"""Web hosts for the tests of the static site."""

from __future__ import annotations

import http.server


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Files of a folder, without a line for each."""

    def log_message(self, format: str, *arguments: object) -> None:
        """Say nothing."""


class Pretty(Quiet):
    """A host that sends `page.html` on to `page`, as some do."""

    def do_GET(self) -> None:
        """Answer with a page, a file, or where the page is."""
        name, _, question = self.path.rpartition("/")[2].partition("?")
        if name.endswith(".html"):
            self.send_response(308)
            self.send_header("Location", name.removesuffix(".html") + ("?" + question if question else ""))
            self.end_headers()
            return
        if name and "." not in name:
            self.path = self.path.replace(name, f"{name}.html", 1)
        super().do_GET()
