// What the bindings of all searches share.
#pragma once

#include "bindings/candidate.hpp"
#include "bindings/fields.hpp"
#include "search/world.hpp"

namespace ofc::python {

inline Heuristic heuristic_of(nb::handle reward, nb::handle rules) {
    const Rules& ruled = *to_rules(rules);
    return Heuristic(to_reward(reward, "equity", ruled).by_hand(ruled), ruled);
}

// A decision to be searched. All chance follows from the player's seed and from what the seat sees.
struct Question {
    Knowledge known;
    std::uint64_t seed, first_step_seed;  // the second for an opening's second step: the seed that its first one had

    Question(nb::handle position, nb::handle player_seed, const Rules& rules) : known(to_decision(position, &rules)) {
        const std::uint64_t player = to_seed(player_seed);
        seed = first_step_seed = observation_key(known.now, player);
        if (known.now.opening_step) first_step_seed = observation_key(known.now.first_step(), player);
    }

    template <class Search>
    Belief belief(const Search& search) const {
        return search.settings().belief ? Belief(known.decisions(), search.heuristic()) : Belief();
    }
};

template <class Settings>
const char* search_arguments(const char* first = "") {
    return kept(std::string("def __init__(self, ") + first +
                "*, reward: RewardConfig | str | None = None, rules: Rules | str | None = None, " +
                field_arguments<Settings>() + ") -> None");
}

inline constexpr const char* kSearch =
    "def search(self, position: InformationSet | numpy.typing.NDArray[numpy.float32], seed: int | None = 0) -> "
    "list[Candidate]";

}  // namespace ofc::python
