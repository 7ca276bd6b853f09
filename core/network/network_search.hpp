// Information-set tree search guided by the network.
//
// A simulation deals a world from what is unseen, plays one of the root's placements, lets the opponent answer by the
// network, and ends at the searcher's next decision: there the network judges every placement of the newly dealt cards
// and the best is the value. Decisions seen before are nodes with statistics of their own, chosen by PUCT.
#pragma once

#include "network/network.hpp"
#include "players/handicap.hpp"
#include "search/pimc.hpp"

namespace ofc {

enum class RootRule { kHalving, kPuct };
inline constexpr std::array<const char*, 2> kRootNames{"halving", "puct"};

struct NetworkSearchSettings {
    int sims = 200;
    RootRule root = RootRule::kHalving;
    int candidates = 12;
    double prior_weight = 16.0;
    double c_puct = 1.5;
    double widening = 2.0, widening_power = 0.5;
    double noise = 0.0, noise_alpha = 0.3;
    double prior_temperature = 1.5;
    double opponent_temperature = 0.0;
    double risk = 0.0;
    bool exact = true;
    bool belief = false;
    int opening_width = 32;
    int max_nodes = 16384;
    double seconds = 0.0;
    double temperature = 0.0;

    template <class Self, class Visit>
    static void for_each_field(Self& settings, Visit&& visit) {
        visit(Field{"sims", "simulations of a decision; 0 plays the network's first choice", 0, kMostSimulations},
              settings.sims);
        visit(Field{.name = "root",
                    .help = "halving: sequential halving over common worlds; puct: a tree chosen through by PUCT",
                    .choices = kRootNames},
              settings.root);
        visit(Field{"candidates", "placements that enter the halving", 1, kOpenings}, settings.candidates);
        visit(Field{"prior_weight", "worlds that the network's own value of a placement counts for in the halving", 0,
                    1e6},
              settings.prior_weight);
        visit(Field{"c_puct", "with root=puct: weight of the prior", 0, 1000}, settings.c_puct);
        visit(Field{"widening", "with root=puct: ceil(widening * visits ^ widening_power) placements are open", 0.01,
                    1000},
              settings.widening);
        visit(Field{"widening_power", "see widening", 0, 1}, settings.widening_power);
        visit(Field{"noise", "with root=puct: share of Dirichlet noise in the root's prior", 0, 1}, settings.noise);
        visit(Field{"noise_alpha", "of that noise; smaller is spikier", 0.001, 1000}, settings.noise_alpha);
        visit(Field{"prior_temperature", "with root=puct, points: the prior is a softmax of the network's values",
                    0.001, 1e6},
              settings.prior_temperature);
        visit(Field{"opponent_temperature", "points; 0 lets the opponent in the search play its best", 0, 1e6},
              settings.opponent_temperature);
        visit(risk_field(), settings.risk);
        visit(exact_field(), settings.exact);
        visit(belief_field(), settings.belief);
        visit(opening_width_field(), settings.opening_width);
        visit(Field{"max_nodes", "with root=puct: limit of the tree, about 1 kB a node", 1, kMostNodes},
              settings.max_nodes);
        visit(seconds_field(), settings.seconds);
        visit(temperature_field(), settings.temperature);
    }
};

struct SearchStatistics {
    std::int64_t simulations = 0;
    std::size_t nodes = 0;  // of the tree, beside the root
};

class NetworkSearch {
public:
    NetworkSearch(const NetworkSearchSettings& settings, std::shared_ptr<const Network> network,
                  const RewardConfig& reward);

    // All placements judged: the one that is played first, then by mean; the mean of a placement that was not searched
    // is the network's own value. The `extra` placement enters the halving whatever its value. One object may be
    // searched with by many threads.
    std::vector<Candidate> search(const InformationSet& information, const Belief& belief, std::uint64_t seed,
                                  const Placement* extra = nullptr, SearchStatistics* statistics = nullptr) const;
    const Network& network() const { return *network_; }
    const Heuristic& heuristic() const { return heuristic_; }
    const NetworkSearchSettings& settings() const { return settings_; }

private:
    NetworkSearchSettings settings_;
    std::shared_ptr<const Network> network_;
    Heuristic heuristic_;
};

}  // namespace ofc
