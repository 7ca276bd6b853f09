"""Standings between two hands of a session: how hands lead from one to the next, and who wins from there."""
