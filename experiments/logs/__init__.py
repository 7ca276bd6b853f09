"""Exported logs read with suspicion, replayed through the engine, and written as arrays."""
