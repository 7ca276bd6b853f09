// The last turn solved exactly.
#pragma once

#include "game/information.hpp"
#include "game/reward.hpp"
#include "solvers/setting.hpp"

namespace ofc {

// What the seat to act on turn 4 is paid for every slot 0..26; NaN where a slot is illegal.
//   second to act: the reward itself
//   first to act: the mean over every draw of the opponent from the unseen cards, each answered by its best placement;
//     where several are equally good for it, by the one that is worst for the seat to act
//   against fantasyland: the mean over `hidden_boards`, which must not be empty
using TurnValues = std::array<double, kTurnSlots>;

TurnValues solve_last_turn(const InformationSet& information, const RewardConfig& reward, const Rules& rules,
                           std::span<const HiddenBoard> hidden_boards = {});

// Whether the seat to act makes the last placement of the hand, against a finished board that it sees.
inline bool closes_the_hand(const Hand& hand) {
    return !hand.opening_step && hand.cards_placed(hand.player) == placed_before(kTurns - 1) &&
           hand.boards[1 - hand.player].complete() && !hand.fantasyland[1 - hand.player];
}

// The best slot of that placement, and its value.
struct BestSlot {
    int slot;
    double value;
};
BestSlot best_last_slot(const Hand& hand, const RewardConfig& reward, const Rules& rules);

}  // namespace ofc
