// The last turn before it is dealt: every draw solved at once.
#pragma once

#include "solvers/finish.hpp"

namespace ofc {

// A placement of turn 3 by what its board will be worth: the mean over every draw of the last three cards, each placed
// best.
class LastDraw {
public:
    // `before` is the decision of turn 3; reward and rules must outlive this.
    LastDraw(const InformationSet& before, const Placement& placement, const RewardConfig& reward, const Rules& rules);

    // Against a finished board that the seat sees, with the three cards from `deck`.
    double against(const Board& opponent, CardSet deck) const;

private:
    Stakes stakes_;
    std::array<std::int8_t, kCards> number_;  // of a card among those unseen
    Finishes finishes_;
};

}  // namespace ofc
