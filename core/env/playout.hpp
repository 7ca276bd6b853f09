// Whole hands of uniformly random placements, scored: the speed of the rules with nothing around them.
#pragma once

#include "game/hand.hpp"

namespace ofc {

struct PlayoutTotals {
    std::int64_t hands = 0, fouls = 0, points = 0, royalties = 0,
                 fantasyland_entries = 0;  // sums over both seats, points of seat 0
};

PlayoutTotals random_playouts(std::int64_t count, std::uint64_t seed, const Rules& rules);

}  // namespace ofc
