// What the settings of several searches have in common.
#pragma once

#include "game/fields.hpp"
#include "game/placement.hpp"

namespace ofc {

inline constexpr double kMostSimulations = 100'000'000, kMostNodes = 4'194'304;

inline Field exact_field() { return {"exact", "solve the last turn exactly"}; }
inline Field belief_field() { return {"belief", "weigh worlds by what the opponent's discards probably were"}; }
inline Field opening_width_field() {
    return {"opening_width", "openings that are searched, of 232, best by the heuristic", 1, kOpenings};
}
inline Field risk_field() { return {"risk", "the objective is the mean minus this many standard deviations", -10, 10}; }
inline Field seconds_field() { return {"seconds", "a time limit beside the budget; 0 for none", 0, 86400}; }

}  // namespace ofc
