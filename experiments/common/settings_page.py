"""The page of all settings, docs/settings.md, from the lists in the core; `make stubs` writes it."""

from __future__ import annotations

from ofc_env import RewardConfig, Rules, _core
from ofc_env.results import Setting

INTRODUCTION = """\
# Settings

Every number, switch and choice of the searches, of the referee, of self-play, of the heuristic, of the rules
and of rewards. Each is listed once, in the header named beside it; signatures, refusals, text forms and this
page follow from that list.
`make stubs` writes the page anew.
"""

# Heading, header with the list, where the settings are given, the list.
SECTIONS: tuple[tuple[str, str, str, list[Setting]], ...] = (
    (
        "pimc",
        "core/search/pimc.hpp",
        'Perfect-information Monte Carlo: `agents.make("pimc:rollouts=500")`, `PimcAgent(rollouts=500)`.',
        _core.Pimc.fields(),
    ),
    (
        "ismcts, mcts-open",
        "core/search/ismcts.hpp",
        'Information-set tree search with playouts: `agents.make("ismcts:simulations=500")`.',
        _core.Ismcts.fields(),
    ),
    (
        "alphazero",
        "core/network/search_settings.hpp",
        'Search guided by the network: `agents.make("alphazero:sims=100")`.',
        _core.NetworkSearch.fields(),
    ),
    (
        "The referee",
        "core/network/referee.hpp",
        "Every placement of a decision played on: keywords of `ofc_env._core.Referee`.",
        _core.Referee.fields(),
    ),
    (
        "Self-play",
        "core/network/self_play.hpp",
        "Games that the network learns from: keywords of `ofc_env._core.self_play`.",
        _core.self_play_fields(),
    ),
    (
        "heuristic",
        "core/players/heuristic.hpp",
        "The numbers of the hand-written judgement, in this order in `HeuristicAgent(weights=[...])`.",
        _core.Heuristic.fields(),
    ),
    (
        "Handicaps",
        "core/players/handicap.hpp",
        'What makes the heuristic weaker than it could be: `agents.make("heuristic:careless=0.2")`.',
        _core.Heuristic.handicap_fields(),
    ),
    (
        "Rules",
        "core/game/rules.hpp",
        '`Rules(chips=300)`, or as text, `"chips=300 stop_gap=60"`, wherever rules are taken.',
        Rules.fields(),
    ),
    (
        "Rewards",
        "core/game/reward.hpp",
        '`RewardConfig(foul=10)`, or as text, `"equity foul=10"`: a preset, fields, or both.',
        RewardConfig.fields(),
    ),
)
_WORDS = {"int": "whole number", "float": "number", "bool": "on or off", "str": "word"}


def type_words(setting: Setting) -> str:
    """What a setting is, in words."""
    kind = setting.type.removeprefix("typing.Sequence[").removesuffix("]")
    if kind != setting.type:
        return f"{len(setting.default)} {_WORDS[kind]}s"
    return _WORDS[kind]


def number_words(number: float) -> str:
    """A number as a person writes it; the core's single floats have seven digits."""
    return f"{number:.0f}" if abs(number) < 1e15 and number == int(number) else f"{number:.7g}"


def default_words(setting: Setting) -> str:
    """The default as it is written in a text form."""
    if isinstance(setting.default, bool):
        return "on" if setting.default else "off"
    if isinstance(setting.default, str):
        return setting.default
    numbers = setting.default if isinstance(setting.default, list) else [setting.default]
    return ",".join(number_words(number) for number in numbers)


def range_words(setting: Setting) -> str:
    """Bounds or choices."""
    if setting.choices:
        return ", ".join(setting.choices)
    if setting.low is None or setting.high is None:
        return ""
    also = "" if setting.also is None else f"{number_words(setting.also)}, "
    return f"{also}{number_words(setting.low)} to {number_words(setting.high)}"


def row(setting: Setting) -> str:
    """A setting's line of the table."""
    words = (type_words(setting), default_words(setting), range_words(setting), setting.help)
    return f"| `{setting.name}` | {' | '.join(words)} |\n"


def page() -> str:
    """The whole page, Markdown."""
    parts = [INTRODUCTION]
    for heading, header, words, settings in SECTIONS:
        rows = "".join(row(setting) for setting in settings)
        parts.append(
            f"## {heading}\n\n{words} Listed in `{header}`.\n\n"
            f"| setting | type | default | range | meaning |\n|---|---|---|---|---|\n{rows}"
        )
    return "\n".join(parts)


if __name__ == "__main__":
    print(page(), end="")
