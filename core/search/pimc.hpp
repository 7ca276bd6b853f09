// Perfect-information Monte Carlo: every candidate placement played out in the same worlds, effort raced to those in
// doubt.
#pragma once

#include <memory>

#include "players/rollout.hpp"
#include "search/world.hpp"

namespace ofc {

// A placement and what the search found about it, for the seat to act.
struct Candidate {
    Placement placement;
    double mean = 0.0, error = 0.0;  // of the objective, with its standard error
    std::int64_t rollouts = 0;
    double foul = 0.0, fantasyland = 0.0, royalties = 0.0;  // of the mover's own board
    double prior = 0.0;
};

struct PimcSettings {
    int rollouts = 1000;     // budget of a decision
    int opening_width = 32;  // openings that enter the race, best by the heuristic
    bool race = true;        // successive halving; otherwise every candidate gets the same share
    bool exact = true;       // solve the last turn instead
    double risk = 0.0;       // objective: mean - risk * standard deviation
    double seconds = 0.0;    // if positive, a time limit beside the budget
};

class Pimc {
public:
    Pimc(const PimcSettings& settings, const Heuristic& heuristic, std::shared_ptr<const LeafEvaluator> leaf)
        : settings_(settings), heuristic_(heuristic), leaf_(std::move(leaf)) {}

    // All candidates, best first. `belief` may be uniform.
    std::vector<Candidate> search(const InformationSet& information, const Belief& belief, std::uint64_t seed) const;

private:
    PimcSettings settings_;
    Heuristic heuristic_;
    std::shared_ptr<const LeafEvaluator> leaf_;
};

// Candidates of the last turn, solved; used by every search.
std::vector<Candidate> solve_last_candidates(const InformationSet& information, const Heuristic& heuristic, Rng& rng,
                                             int samples = 24);

}  // namespace ofc
