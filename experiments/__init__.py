"""Scripts a person runs; each reads top to bottom and starts with `python experiments/<name>.py`."""

from ofc_env.hidden import verify_neighbours

verify_neighbours(__file__, "agents", "wrappers")
