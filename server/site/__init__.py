"""The static site: the page with the core as WebAssembly in a worker, for any web host, without a server."""
