"""Networks that players play by: their files, and what they are made of."""
