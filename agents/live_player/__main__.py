"""`python -m agents.live_player`."""

import sys

from agents.live_player.player import main

sys.exit(main())
