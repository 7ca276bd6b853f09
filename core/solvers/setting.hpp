// Seats in fantasyland: how they set their cards, and what they may have set face down.
#pragma once

#include "game/hand.hpp"
#include "game/reward.hpp"
#include "solvers/fantasyland.hpp"

namespace ofc {

// The solver's setting with the stay worth what the equity reward says: how a fantasyland is set for a player.
FantasylandSolution usual_setting(CardSet cards, const Rules& rules);

void set_fantasyland(Hand& hand);  // of the seat to act; throws unless it is in fantasyland

// A board that an opponent in fantasyland may have set.
struct HiddenBoard {
    Board board;
    CardSet discards;
    BoardSummary summary;
    int next_width;
};

// Such boards, dealt from the unseen cards and set by the solver.
std::vector<HiddenBoard> sample_hidden_boards(CardSet unseen, int width, int samples, Rng& rng,
                                              const RewardConfig& reward, const Rules& rules);

}  // namespace ofc
