"""What a training run follows from its rules and its reward, both given as text."""

from __future__ import annotations

from ofc_env import RewardConfig, Rules


class Ruled:
    """Settings of a run with the fields `rules` and `reward`."""

    rules: str
    reward: str

    @property
    def played_by(self) -> Rules:
        """The rules."""
        return Rules.parse(self.rules)

    @property
    def paid(self) -> RewardConfig:
        """The reward under them."""
        return RewardConfig.parse(self.reward, self.played_by)

    @property
    def fantasyland_values(self) -> tuple[float, ...] | None:
        """What opponents take fantasyland to be worth, as the reward's text says; None where it does not."""
        return tuple(self.paid.fantasyland_values) if "fantasyland_values=" in self.reward else None
