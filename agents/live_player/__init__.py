"""An agent at a live table, as a client like any other: `python -m agents.live_player`."""

from agents.live_player.player import LivePlayer, Ticket, main, take_seat

__all__ = ["LivePlayer", "Ticket", "main", "take_seat"]
