"""Live play: rooms over WebSocket, a durable log, an AI opponent and the web page: `python -m server`."""
