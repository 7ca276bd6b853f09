// What winning a fantasyland is worth, by rules: the one table, and how it is asked.
#pragma once

#include "game/rules.hpp"

namespace ofc {

// Worth in points of 14, 15, 16 and 17 cards in the next hand, net of the normal hand that they replace.
using FantasylandValues = std::array<double, kLargestFantasyland - kSmallestFantasyland + 1>;

inline double width_value(const FantasylandValues& values, int width) {
    return width ? values[static_cast<std::size_t>(width - kSmallestFantasyland)] : 0.0;
}

// Null where nobody has measured them. Stacks, the stopping rule and clocks make no difference.
const FantasylandValues* measured_fantasyland_values(const Rules& rules);
// The same; throws a sentence that names the command which measures them. All 0 where nobody can win one.
FantasylandValues fantasyland_values(const Rules& rules);

// What whoever sets a fantasyland takes them to be: as measured, or else as in the house game.
FantasylandValues usual_fantasyland_values(const Rules& rules);
// Worth of staying in a fantasyland of that width by them.
double default_stay_value(int width, const Rules& rules);

}  // namespace ofc
