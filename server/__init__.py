"""Live play: rooms over WebSocket, a durable log, an AI opponent and the web page: `python -m server`."""

from ofc_env.hidden import verify_neighbours

verify_neighbours(__file__, "agents", "wrappers")
