// The belief about the opponent's discards.
#include "bindings/search/search.hpp"

namespace ofc::python {

using namespace nb::literals;

void bind_belief(nb::module_& m) {
    nb::class_<Belief>(m, "Belief",
                       "How likely each unseen card is among the opponent's discards, from what it placed.")
        .def(
            "__init__",
            [](Belief* self, nb::handle position, double temperature, double floor, double smallest_share,
               nb::handle reward, nb::handle rules) {
                if (!(temperature > 0))
                    throw std::invalid_argument("temperature is " + std::to_string(temperature) +
                                                "; it must be positive");
                const Heuristic heuristic = heuristic_of(reward, rules);
                new (self) Belief(to_decision(position, &heuristic.rules()).decisions(), heuristic,
                                  {temperature, floor, smallest_share});
            },
            "position"_a, "temperature"_a = Belief::Settings{}.temperature, "floor"_a = Belief::Settings{}.floor,
            "smallest_share"_a = Belief::Settings{}.smallest_share, "reward"_a = nb::none(), "rules"_a = nb::none(),
            nb::sig(
                "def __init__(self, position: InformationSet, temperature: float = 1.5, floor: float = 0.02, "
                "smallest_share: float = 0.1, reward: RewardConfig | str | None = None, rules: Rules | str | None = "
                "None) -> None"))
        .def_prop_ro("turns", &Belief::turns, "Turns with a discard so far.")
        .def(
            "weights",
            [](const Belief& b, int turn) {
                if (turn < 1 || turn > b.turns())
                    throw std::invalid_argument("turn " + std::to_string(turn) + " has no discard yet; there are " +
                                                std::to_string(b.turns()));
                return b.weights(turn - 1);
            },
            "turn"_a, "Weight of each of the 54 cards as the discard of a turn; all zero where nothing is known.")
        .def(
            "log_likelihood",
            [](const Belief& b, nb::handle unseen, nb::handle discards) {
                return b.log_likelihood(to_card_set(unseen, "unseen cards"), to_cards(discards));
            },
            "unseen"_a, "discards"_a, "Log-likelihood of the discards by turn: (by this belief, drawn uniformly).",
            nb::sig("def log_likelihood(self, unseen: str | typing.Iterable[str | int], discards: str | "
                    "typing.Iterable[str | int]) -> tuple[float, float]"));
}

}  // namespace ofc::python
