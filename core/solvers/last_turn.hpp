// The last turn solved exactly.
#pragma once

#include "game/information.hpp"
#include "game/reward.hpp"

namespace ofc {

// What the seat to act on turn 4 is paid for every slot 0..26; NaN where a slot is illegal.
//   second to act: the reward itself
//   first to act: the mean over every draw of the opponent from the unseen cards, each answered by its best placement;
//     where several are equally good for it, by the one that is worst for the seat to act
//   against fantasyland: the mean over `hidden_boards`, which must not be empty
using TurnValues = std::array<double, kTurnSlots>;

struct HiddenBoard {
    BoardSummary summary;
    int next_width;
};

TurnValues solve_last_turn(const InformationSet& information, const RewardConfig& reward, const Rules& rules,
                           std::span<const HiddenBoard> hidden_boards = {});

// Boards a fantasyland opponent may have set, dealt from the unseen cards and set by the solver.
std::vector<HiddenBoard> sample_hidden_boards(CardSet unseen, int width, int samples, Rng& rng,
                                              const RewardConfig& reward, const Rules& rules);

}  // namespace ofc
