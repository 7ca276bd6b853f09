// Perfect-information Monte Carlo: every candidate placement played out in the same worlds, effort raced to those in
// doubt.
#pragma once

#include <memory>

#include "players/rollout.hpp"
#include "search/candidate.hpp"
#include "search/settings.hpp"
#include "search/world.hpp"

namespace ofc {

struct PimcSettings {
    int rollouts = 2000;
    LeafKind leaf = LeafKind::kHeuristic;
    bool race = true;
    bool exact = true;
    bool belief = false;
    int opening_width = 32;
    double risk = 0.0;
    double seconds = 0.0;

    template <class Self, class Visit>
    static void for_each_field(Self& settings, Visit&& visit) {
        visit(Field{"rollouts", "hands played out for a decision; more are slower and surer", 1, kMostSimulations},
              settings.rollouts);
        visit(leaf_field(), settings.leaf);
        visit(Field{"race",
                    "drop the worse half of the placements again and again, so that effort goes to those in doubt"},
              settings.race);
        visit(exact_field(), settings.exact);
        visit(belief_field(), settings.belief);
        visit(opening_width_field(), settings.opening_width);
        visit(risk_field(), settings.risk);
        visit(seconds_field(), settings.seconds);
    }
};

class Pimc {
public:
    Pimc(const PimcSettings& settings, const Heuristic& heuristic)
        : settings_(settings), heuristic_(heuristic), leaf_(make_leaf(settings.leaf, heuristic, settings.exact)) {}

    // All candidates, best first. `belief` may be uniform.
    std::vector<Candidate> search(const InformationSet& information, const Belief& belief, std::uint64_t seed) const;
    const PimcSettings& settings() const { return settings_; }
    const Heuristic& heuristic() const { return heuristic_; }

private:
    PimcSettings settings_;
    Heuristic heuristic_;
    std::shared_ptr<const LeafEvaluator> leaf_;
};

// Candidates of the last turn, solved; used by every search.
std::vector<Candidate> solve_last_candidates(const InformationSet& information, const Heuristic& heuristic, Rng& rng,
                                             int samples = 24);

}  // namespace ofc
