// Information-set Monte Carlo tree search: one tree over many worlds.
//
// Every simulation deals a world. The statistics of a decision belong to what its seat sees, so the same information
// set reached in different worlds is one node. Values are kept from the side of the seat that acts.
#pragma once

#include "search/node_table.hpp"
#include "search/pimc.hpp"

namespace ofc {

struct IsmctsSettings {
    int simulations = 2000;
    double exploration = 0.7;  // UCB1 constant, on values scaled to 0..1 by the extremes seen
    bool widen = true;         // progressive widening of the searching seat's opening: ceil(c * visits^alpha) actions
    double widening = 1.5, widening_power = 0.4;
    int max_nodes = 65536;  // a node takes about 300 bytes; past the limit the tree stops growing
    bool exact = true;      // solve the last turn instead
};

class Ismcts {
public:
    Ismcts(const IsmctsSettings& settings, const Heuristic& heuristic, std::shared_ptr<const LeafEvaluator> leaf);

    // The second step of an opening is searched on in the tree of its first step, if that came just before;
    // every other search begins with an empty tree.
    void search(const InformationSet& information, const Belief& belief, std::uint64_t seed);
    // The same on the true hand, hidden cards and all, for comparison only.
    void search_open(const Hand& hand, std::uint64_t seed);

    int best_action() const;                    // most visited slot of the last search
    std::vector<Candidate> candidates() const;  // whole placements, most visited first
    std::size_t nodes() const { return nodes_.size(); }
    std::int64_t simulations() const { return simulations_; }  // of the last search
    // Visits of the node of an information set, 0 if the tree has none.
    std::int64_t visits(const InformationSet& information) const;
    void forget();

private:
    static constexpr int kMostActions = 32;
    struct Node {
        std::uint32_t visits = 0;
        std::uint8_t action_count = 0;
        bool widened = false;
        std::array<std::uint8_t, kMostActions> slots;
        std::array<std::uint32_t, kMostActions> counts{};
        std::array<float, kMostActions> sums{};
    };

    template <class Deal>
    void run(const InformationSet& information, std::uint64_t seed, Deal&& deal);
    void simulate(Hand& world, Rng& rng);
    void add(std::uint64_t key, const Hand& world, Rng& rng, bool ordered);
    int select(const Node& node) const;

    IsmctsSettings settings_;
    Heuristic heuristic_;
    std::shared_ptr<const LeafEvaluator> leaf_;
    NodeTable<Node> nodes_;
    InformationSet root_;
    bool first_step_searched_ = false;  // the tree is that of an opening's first step
    std::vector<Candidate> solved_;     // of a last turn that was solved instead
    int root_seat_ = 0;
    std::int64_t simulations_ = 0;
    double lowest_ = 0.0, highest_ = 0.0;
};

std::uint64_t information_key(const InformationSet& information);

}  // namespace ofc
