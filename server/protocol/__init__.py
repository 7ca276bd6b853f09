"""What goes over a socket: messages, and connections that carry them."""
