// Rewards.
#include "game/reward.hpp"
#include "bindings/fields.hpp"
#include "game/win_chances.hpp"

namespace ofc::python {

using namespace nb::literals;

RewardConfig to_reward(nb::handle reward, std::string_view otherwise, const Rules& rules) {
    if (reward.is_none()) return RewardConfig::preset(otherwise, rules);
    const auto config =
        nb::isinstance<nb::str>(reward)
            ? RewardConfig::parse(nb::cast<std::string>(reward), rules)
            : cast_or_refuse<RewardConfig>(reward, "a reward (give RewardConfig, its text form, or None)");
    if (config.win != 0.0) win_chances(rules);  // refused now, not when the first hand is over
    return config;
}

void bind_reward(nb::module_& m) {
    auto reward =
        nb::class_<RewardConfig>(m, "RewardConfig", "What a seat is paid for a hand and for a session. Frozen.");
    reward
        .def(
            "__init__",
            [](RewardConfig* self, const nb::kwargs& given) {
                new (self) RewardConfig(with_fields("reward", RewardConfig{}, given));
            },
            "fields"_a, nb::sig(kept("def __init__(self, *, " + field_arguments<RewardConfig>() + ") -> None")))
        .def_static(
            "preset",
            [](std::string_view name, nb::handle rules) { return RewardConfig::preset(name, *to_rules(rules)); },
            "name"_a, "rules"_a = nb::none(), "One of points, equity, shaped, session, mixed, win, for these rules.",
            nb::sig("def preset(name: str, rules: Rules | str | None = None) -> RewardConfig"))
        .def_static(
            "parse",
            [](std::string_view text, nb::handle rules) { return RewardConfig::parse(text, *to_rules(rules)); },
            "text"_a, "rules"_a = nb::none(), "A preset's name, fields as name=value, or both: \"equity foul=10\".",
            nb::sig("def parse(text: str, rules: Rules | str | None = None) -> RewardConfig"))
        .def(
            "hand_rewards",
            [](const RewardConfig& c, nb::handle result, bool in_session) {
                return c.hand_rewards(result_of(result), in_session, rules_of_result(result));
            },
            "result"_a, "in_session"_a = false, "Rewards of both seats for a finished hand.",
            nb::sig("def hand_rewards(self, result: HandResult, in_session: bool = False) -> list[float]"))
        .def(
            "session_rewards",
            [](const RewardConfig& c, std::array<int, 2> chips, nb::handle rules) {
                const Rules& r = *to_rules(rules);
                return std::array<double, 2>{c.session_reward(chips[0], r), c.session_reward(chips[1], r)};
            },
            "final_chips"_a, "rules"_a = nb::none(), "Rewards of both seats for a finished session.",
            nb::sig("def session_rewards(self, final_chips: typing.Sequence[int], rules: Rules | None = None) -> "
                    "list[float]"))
        .def_prop_ro("of_sessions", &RewardConfig::of_sessions,
                     "Whether it pays for more than hands, so that whole sessions are to be played.")
        .def(
            "by_hand", [](const RewardConfig& c, nb::handle rules) { return c.by_hand(*to_rules(rules)); },
            "rules"_a = nb::none(),
            "What a hand is worth in points while its session goes on; of a reward for hands the reward itself.",
            nb::sig("def by_hand(self, rules: Rules | None = None) -> RewardConfig"));
    def_fields<RewardConfig>(reward, "RewardConfig", "reward");
}

}  // namespace ofc::python
