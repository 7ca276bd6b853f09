// Worlds: complete hands that fit what a seat sees, with or without a belief about the opponent's discards.
#pragma once

#include "search/belief.hpp"
#include "solvers/setting.hpp"

namespace ofc {

// A world that fits what a seat sees, by the rules it plays by; the seat is 0 in it. Throws when no hand can be in that
// state.
Hand world_of(const InformationSet& information, Rng& rng);

// The hand with all that `seat` cannot see dealt anew: a world equal to it in that seat's eyes.
Hand determinize(const Hand& hand, int seat, Rng& rng);

// The opponent's discards and the cards to come dealt anew from `unseen`, in a world in which seat 0 is to act. A
// face-down board stays as it is.
void redeal(Hand& world, CardSet unseen, const Belief& belief, Rng& rng);

// Deals worlds for one decision: cheap, because only what is to come has to be dealt.
class WorldSampler {
public:
    static constexpr int kHiddenBoards = 16;

    // A fantasyland opponent's board is one of `hidden_boards`, set by the solver and shared by the worlds; with 0 its
    // cards may come up again, which is right for a search that never scores the hand.
    WorldSampler(const InformationSet& information, const RewardConfig& reward, Rng& rng, Belief belief = {},
                 int hidden_boards = kHiddenBoards);
    Hand sample(Rng& rng) const;  // the observer is seat 0
    const InformationSet& information() const { return info_; }

private:
    InformationSet info_;
    Hand base_;
    Belief belief_;
    std::vector<HiddenBoard> hidden_;
};

}  // namespace ofc
