"""Positions written down by people or logs, and what agents think of them."""
