"""The web application: pages, REST, WebSocket, limits, and how it is served."""
