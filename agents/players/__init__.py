"""The players: each file an agent that `agents.make` builds by name."""
