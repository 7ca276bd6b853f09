"""Tables with people and AI at them: the game, its seats, its journal, the lobby."""
