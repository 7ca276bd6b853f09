// Drills: questions for a player, the same whenever they are asked for by the same seed.
#pragma once

#include <optional>

#include "game/information.hpp"

namespace ofc {

// Those that a seed makes; a mistake is made from a decision that somebody took.
inline constexpr std::array<const char*, 3> kDrillKinds{"opening", "fantasyland", "foul"};

// What to place; or, where a placement is given, how likely the board after it is to foul.
struct Drill {
    std::string kind;
    InformationSet information;
    std::optional<Placement> placement;
    std::optional<int> seconds;  // that the answer may take
};

// The question of a kind that belongs to a seed. Throws a sentence for another kind, and for a fantasyland hand where
// the rules have none.
Drill make_drill(std::string_view kind, std::uint64_t seed, const Rules* rules);

}  // namespace ofc
