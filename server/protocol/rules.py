"""A table's rules as messages carry them, and the rules that the lobby offers by name."""

from __future__ import annotations

from ofc_env import Rules
from ofc_env.layout import ROWS
from server.protocol.messages import Message
from server.settings import STANDARD_CLOCK, Settings

PRESETS = tuple(Rules.preset(name) for name in Rules.presets())


def offered(settings: Settings) -> list[Rules]:
    """The rules that can be chosen without writing any: the server's own first if they are no preset."""
    return list(PRESETS) if settings.rules in PRESETS else [settings.rules, *PRESETS]


def rules_body(rules: Rules, settings: Settings, clock: str = STANDARD_CLOCK) -> Message:
    """Rules as data: `text` is what `Rules.parse` reads, and the clocks are those that the table keeps."""
    return {
        "text": rules.name,
        "jokers": rules.jokers,
        "cards": rules.num_cards,
        "button_acts": rules.button_acts,
        "turn_seconds": settings.clock_limit(rules, False, clock),
        "fantasyland_seconds": settings.clock_limit(rules, True, clock),
        "chips": rules.chips,
        "stop_gap": rules.stop_gap,
        "scoop": rules.scoop,
        "foul": None if rules.foul < 0 else rules.foul,
        "royalties": {
            "top_pairs": list(rules.top_pairs),
            "top_trips": list(rules.top_trips),
            "middle": list(rules.middle),
            "bottom": list(rules.bottom),
        },
        "fantasyland": {
            "widths": rules.widths,
            "pairs": list(rules.fantasyland_pairs),
            "trips": rules.fantasyland_trips,
            "stay": {row: getattr(rules, f"stay_{row}") for row in ROWS},
            "stay_cards": rules.stay_cards,
        },
    }
