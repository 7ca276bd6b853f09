// Rewards.
#include <cmath>

#include "bindings/bindings.hpp"

namespace ofc::python {

using namespace nb::literals;

RewardConfig to_reward(nb::handle reward, std::string_view otherwise) {
    if (reward.is_none()) return RewardConfig::preset(otherwise);
    if (nb::isinstance<nb::str>(reward)) return RewardConfig::preset(nb::cast<std::string>(reward));
    return cast_or_refuse<RewardConfig>(reward, "a reward (give RewardConfig, the name of a preset, or None)");
}

void bind_reward(nb::module_& m) {
    nb::class_<RewardConfig>(m, "RewardConfig", "What a seat is paid for a hand and for a session. Frozen.")
        .def(
            "__init__",
            [](RewardConfig* self, double points, std::array<double, 4> values, double entry, double foul, bool capped,
               double session) {
                for (const double number : {points, values[0], values[1], values[2], values[3], entry, foul, session})
                    if (!std::isfinite(number))
                        throw std::invalid_argument("a reward of " + std::to_string(number) +
                                                    " is not a number one can add up");
                new (self) RewardConfig{points, values, entry, foul, capped, session};
            },
            "points"_a = 1.0, "fantasyland_values"_a = std::array<double, 4>{}, "fantasyland_entry"_a = 0.0,
            "foul"_a = 0.0, "capped"_a = false, "session"_a = 0.0)
        .def_ro("points", &RewardConfig::points, "Weight of the hand's points.")
        .def_ro("fantasyland_values", &RewardConfig::fantasyland_values,
                "Worth of winning 14, 15, 16, 17 cards, zero-sum.")
        .def_ro("fantasyland_entry", &RewardConfig::fantasyland_entry, "Bonus for entering fantasyland, own seat only.")
        .def_ro("foul", &RewardConfig::foul, "Penalty for an own foul.")
        .def_ro("capped", &RewardConfig::capped, "Points capped by chips also in one-hand episodes.")
        .def_ro("session", &RewardConfig::session, "Weight of (final chips - start) / start.")
        .def_static("preset", &RewardConfig::preset, "name"_a, "One of points, equity, shaped, session, mixed.")
        .def(
            "hand_rewards",
            [](const RewardConfig& c, nb::handle result, bool in_session) {
                return c.hand_rewards(result_of(result), in_session);
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
        .def(
            "by_hand", [](const RewardConfig& c, nb::handle rules) { return c.by_hand(*to_rules(rules)); },
            "rules"_a = nb::none(),
            "What a hand is worth in points while its session goes on; without a session's weight the reward itself.",
            nb::sig("def by_hand(self, rules: Rules | None = None) -> RewardConfig"))
        .def(
            "replace",
            [](const RewardConfig& config, const nb::kwargs& changes) {
                nb::dict fields;
                fields["points"] = config.points;
                fields["fantasyland_values"] = config.fantasyland_values;
                fields["fantasyland_entry"] = config.fantasyland_entry;
                fields["foul"] = config.foul;
                fields["capped"] = config.capped;
                fields["session"] = config.session;
                for (const auto [key, value] : changes) {
                    if (!fields.contains(key))
                        throw std::invalid_argument("a reward has no field '" + nb::cast<std::string>(key) + "'");
                    fields[key] = value;
                }
                return nb::borrow(nb::type<RewardConfig>())(**fields);
            },
            "changes"_a, "A copy with some fields changed.",
            nb::sig("def replace(self, **changes: typing.Any) -> RewardConfig"))
        .def("__repr__",
             [](const RewardConfig& c) {
                 return "RewardConfig(points=" + std::to_string(c.points) + ", fantasyland_values=(" +
                        std::to_string(c.fantasyland_values[0]) + ", " + std::to_string(c.fantasyland_values[1]) +
                        ", " + std::to_string(c.fantasyland_values[2]) + ", " +
                        std::to_string(c.fantasyland_values[3]) +
                        "), fantasyland_entry=" + std::to_string(c.fantasyland_entry) +
                        ", foul=" + std::to_string(c.foul) + ", capped=" + (c.capped ? "True" : "False") +
                        ", session=" + std::to_string(c.session) + ")";
             })
        .def("__eq__", &equals<RewardConfig>, nb::arg().none())
        .def("__hash__",
             [](const RewardConfig& c) {
                 return nb::hash(
                     nb::make_tuple(c.points, c.fantasyland_values[0], c.fantasyland_entry, c.foul, c.session));
             })
        .def("__getstate__",
             [](const RewardConfig& c) {
                 return nb::make_tuple(c.points, c.fantasyland_values, c.fantasyland_entry, c.foul, c.capped,
                                       c.session);
             })
        .def("__setstate__",
             [](RewardConfig& self, const std::tuple<double, std::array<double, 4>, double, double, bool, double>& s) {
                 new (&self) RewardConfig{std::get<0>(s), std::get<1>(s), std::get<2>(s),
                                          std::get<3>(s), std::get<4>(s), std::get<5>(s)};
             });
}

}  // namespace ofc::python
