// The exact best setting of a fantasyland hand.
#pragma once

#include "game/board.hpp"
#include "game/placement.hpp"

namespace ofc {

struct FantasylandSolution {
    Placement placement;
    BoardSummary summary;
    double value = 0.0;  // what was maximised

    Board board() const { return {placement.rows}; }
};

// The setting of 14 to 17 cards with the highest royalties + stay_value if it stays, over every setting that does
// not foul; ties go to the stronger bottom, then middle, then top. With opponents, what is maximised is the mean
// of the points against them (rows, scoop, royalties) + stay_value.
FantasylandSolution solve_fantasyland(CardSet cards, double stay_value, const Rules& rules,
                                      std::span<const BoardSummary> opponents = {});

// The same by trying every setting; for proofs.
FantasylandSolution brute_force_fantasyland(CardSet cards, double stay_value, const Rules& rules,
                                            std::span<const BoardSummary> opponents = {});

void verify_fantasyland_cards(CardSet cards);

}  // namespace ofc
