// What makes a player weaker than it could be, in the manner of people: it takes the nearly best for the best, and now
// and then it overlooks what beginners overlook.
#pragma once

#include <algorithm>
#include <cmath>

#include "game/random.hpp"
#include "players/heuristic.hpp"

namespace ofc {

inline Field temperature_field() {
    return {"temperature", "points; the placement is drawn from the softmax of the values, 0 plays the best", 0, 1e6};
}

struct Handicap {
    double temperature = 0.0;
    double careless = 0.0;

    template <class Self, class Visit>
    static void for_each_field(Self& handicap, Visit&& visit) {
        visit(temperature_field(), handicap.temperature);
        visit(Field{"careless",
                    "share of the turns in which each row is judged for itself, blind to a foul and to the cards that "
                    "are gone",
                    0, 1},
              handicap.careless);
    }
};

// A number from 0 to n - 1, drawn from the softmax of its values at a temperature above 0.
template <class ValueAt>
int drawn(int n, ValueAt&& value, double temperature, Rng& rng) {
    auto best = value(0);
    for (int i = 1; i < n; ++i) best = std::max(best, value(i));
    double total = 0.0;
    for (int i = 0; i < n; ++i) total += std::exp((value(i) - best) / temperature);
    double at = rng.uniform() * total;
    int chosen = 0;
    while (chosen + 1 < n && (at -= std::exp((value(chosen) - best) / temperature)) >= 0.0) ++chosen;
    return chosen;
}

// Heuristic::evaluate by a player with a handicap: what it plays in front. Chance follows from the seed and from what
// the seat sees at the start of its turn, so that both steps of an opening are careless or neither.
int evaluate_handicapped(const Heuristic& heuristic, const InformationSet& information, const Handicap& handicap,
                         std::uint64_t seed, Heuristic::Choice* out);

// What such a player places with the turn of the seat to act, who is in normal play.
Placement handicapped_turn(const Heuristic& heuristic, const Hand& hand, const Handicap& handicap, std::uint64_t seed);

}  // namespace ofc
