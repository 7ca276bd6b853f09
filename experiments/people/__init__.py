"""A person's games looked at: results with and without luck, what decisions cost, and a profile of both."""
