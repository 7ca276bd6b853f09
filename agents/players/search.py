"""What the search agents share: settings that the core lists, and a memory of the hand for the belief."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, ClassVar

from agents.base import InformedAgent
from ofc_env import Candidate, InformationSet, RewardConfig, Rules

_TYPES = {"int": int, "float": float, "bool": bool, "str": str}


class SearchAgent(InformedAgent):
    """An agent around a search of the core: every setting that the search lists is an option of the agent.

    Args:
        seed: with what the seat sees, fixes all chance of a search.
        reward: what a hand is worth; points and the value of fantasyland by default.
        rules: what it plays by; the house rules by default.
        settings: of the search: `fields()` of its class, docs/settings.md.
    """

    search: ClassVar[Any]  # the class of the engine, with fields()

    def __init_subclass__(cls) -> None:
        """Show the settings of the search in the signature, where `agents.make` looks for options."""
        own = inspect.signature(cls.__init__).parameters.values()
        mine = [option for option in own if option.kind is not option.VAR_KEYWORD and option.name != "self"]
        listed = [
            inspect.Parameter(
                field.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=field.default,
                annotation=_TYPES.get(field.type, Any),
            )
            for field in cls.search.fields()
        ]
        options = [*listed, *(option.replace(kind=inspect.Parameter.KEYWORD_ONLY) for option in mine)]
        cls.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]

    def __init__(
        self,
        seed: int = 0,
        reward: RewardConfig | str = "equity",
        rules: Rules | str | None = None,
        **settings: Any,
    ) -> None:
        self.rules = Rules.of(rules)
        self._begin(seed, self.search(reward=reward, rules=self.rules, **settings), settings)

    def _begin(self, seed: int, engine: Any, settings: Mapping[str, Any]) -> None:
        self.seed = seed
        self.engine = engine
        self.remembers = bool(settings.get("belief"))  # a belief needs the earlier decisions of the hand
        self._last: InformationSet | None = None

    def reset(self) -> None:
        """Forget the hand before."""
        self._last = None

    def known(self, information: InformationSet) -> InformationSet:
        """The decision, with the seat's earlier ones of the hand as its history where a belief wants them."""
        last = self._last
        if not self.remembers or (last is not None and last.key() == information.key()):
            return last if self.remembers and last is not None else information
        if last is not None and information.follows(last):
            information = information.following(last)
        self._last = information
        return information

    def choose(self, information: InformationSet) -> int:
        """The first slot of the best placement."""
        return self.rank(information)[0].actions[0]

    def rank(self, information: InformationSet) -> list[Candidate]:
        """Every placement that was weighed, best first."""
        found: list[Candidate] = self.engine.search(self.known(information), self.seed)
        return found
