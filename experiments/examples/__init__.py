"""Small whole programs to start from."""
