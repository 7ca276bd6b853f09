"""Decisions judged by the referee: where they come from, what they lose, and labels to learn from."""
