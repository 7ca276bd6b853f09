// Worlds: complete hands that fit what a seat sees, with or without a belief about the opponent's discards.
#pragma once

#include "players/heuristic.hpp"
#include "solvers/last_turn.hpp"

namespace ofc {

// How likely each unseen card was thrown away on each of the opponent's turns.
//
// On every past turn the opponent held the two cards it placed and one more, x. The chance that its policy (here a
// softmax over the heuristic, with a floor) would place those two and discard x is the weight of x.
class Belief {
public:
    struct Settings {
        double temperature = 1.5;     // points
        double floor = 0.02;          // share of every placement whatever its value
        double smallest_share = 0.1;  // fall back to uniform when fewer than this share of the cards carry the weight
    };

    Belief() = default;  // uniform
    // `decisions` are the seat's own information sets of this hand so far, oldest first, the present one last.
    Belief(std::span<const InformationSet> decisions, const Heuristic& heuristic, const Settings& settings);
    Belief(std::span<const InformationSet> decisions, const Heuristic& heuristic);

    // Takes the opponent's discards out of the n cards: they come first. Returns how many.
    int draw_discards(Card* cards, int n, int discards, Rng& rng) const;
    // Log-likelihood of the discards (by turn), and of the same drawn uniformly, in nats.
    std::pair<double, double> log_likelihood(CardSet unseen, std::span<const int> discards) const;
    int turns() const { return static_cast<int>(weights_.size()); }
    const std::array<float, kCards>& weights(int turn) const { return weights_[turn]; }

private:
    std::vector<std::array<float, kCards>> weights_;  // by turn from 1 on; empty where nothing is known
};

// A world that fits what a seat sees; the seat is 0 in it. Throws when no hand can be in that state.
Hand world_of(const InformationSet& information, Rng& rng, const Rules* rules = default_rules());

// Deals worlds for one decision: cheap, because only what is to come has to be dealt.
class WorldSampler {
public:
    static constexpr int kHiddenBoards = 16;

    // A fantasyland opponent's board is one of `hidden_boards`, set by the solver and shared by the worlds; with 0 its
    // cards may come up again, which is right for a search that never scores the hand.
    WorldSampler(const InformationSet& information, const Rules* rules, const RewardConfig& reward, Rng& rng,
                 Belief belief = {}, int hidden_boards = kHiddenBoards);
    Hand sample(Rng& rng) const;  // the observer is seat 0
    const InformationSet& information() const { return info_; }

private:
    InformationSet info_;
    Hand base_;
    Belief belief_;
    struct Hidden {
        Board board;
        CardSet discards;
    };
    std::vector<Hidden> hidden_;
};

}  // namespace ofc
