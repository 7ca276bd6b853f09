// What an opponent's placements tell about the cards it threw away.
#pragma once

#include "players/heuristic.hpp"

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

}  // namespace ofc
