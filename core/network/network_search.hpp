// Information-set tree search guided by the network.
//
// A simulation deals a world from what is unseen, plays one of the root's placements, lets the opponent answer by the
// network, and ends at the searcher's next decision: there the network judges every placement of the newly dealt cards
// and the best is the value. Decisions seen before are nodes with statistics of their own, chosen by PUCT.
#pragma once

#include "network/network.hpp"
#include "search/node_table.hpp"
#include "search/pimc.hpp"
#include "search/tally.hpp"

namespace ofc {

struct NetworkSearchSettings {
    int simulations = 200;
    bool halving = true;        // root by sequential halving over common worlds; otherwise by PUCT
    int candidates = 12;        // placements that enter the halving
    double prior_weight = 0.0;  // worlds that the network's own value of a placement counts for in the halving
    double c_puct = 1.5;
    double widening = 2.0, widening_power = 0.5;  // PUCT nodes open ceil(c * visits^alpha) placements, best prior first
    double noise = 0.0;                           // share of Dirichlet noise in the root's prior
    double noise_alpha = 0.3;
    double prior_temperature = 1.5;     // points: the prior is a softmax of the network's values
    double opponent_temperature = 0.0;  // points; 0: the opponent plays its best
    double risk = 0.0;                  // objective: mean - risk * standard deviation
    bool exact = true;                  // solve the last turn
    int opening_width = 32;             // openings that the network judges, best by the heuristic
    int max_nodes = 16384;              // about 1 kB each
    double seconds = 0.0;               // if positive, a time limit beside the budget
};

class NetworkSearch {
public:
    NetworkSearch(const NetworkSearchSettings& settings, std::shared_ptr<const Network> network,
                  const RewardConfig& reward);

    // All placements judged, best first; the mean of a placement that was not searched is the network's own value.
    // The `extra` placement enters the halving whatever its value.
    std::vector<Candidate> search(const InformationSet& information, const Belief& belief, std::uint64_t seed,
                                  const Placement* extra = nullptr);
    std::size_t nodes() const { return nodes_.size(); }
    const Network& network() const { return *network_; }
    const Heuristic& heuristic() const { return heuristic_; }
    std::int64_t simulations_done() const { return simulations_done_; }

private:
    struct Node {
        int visits = 0;
        std::vector<Network::Choice> choices;  // best prior first
        std::vector<float> prior;
        std::vector<Tally<float>> tallies;

        void add(int choice, double value) {
            ++visits;
            tallies[static_cast<std::size_t>(choice)].add(static_cast<float>(value));
        }
    };
    Node make_node(const InformationSet& information, double temperature) const;
    int select(const Node& node) const;
    double objective(const Node& node, std::size_t i) const;  // of a choice that was tried
    double follow(Hand& world, Rng& rng);                     // value for seat 0 of a world from here on
    Placement opponent_move(const Hand& world, Rng& rng) const;
    void run_halving(Node& root, const WorldSampler& worlds, std::uint64_t seed, int searched);
    void run_puct(Node& root, const WorldSampler& worlds, std::uint64_t seed);
    bool out_of_time() const;

    NetworkSearchSettings settings_;
    std::shared_ptr<const Network> network_;
    Heuristic heuristic_;
    mutable std::array<Network::Choice, kOpenings> choices_;  // room for one decision's placements
    NodeTable<Node> nodes_;
    std::int64_t simulations_done_ = 0;
    double lowest_ = 0.0, highest_ = 0.0;
    double deadline_ = 0.0;
};

}  // namespace ofc
