// Information-set Monte Carlo tree search: one tree over many worlds.
//
// Every simulation deals a world. The statistics of a decision belong to what its seat sees, so the same information
// set reached in different worlds is one node. Values are kept from the side of the seat that acts.
#pragma once

#include "game/mutex.hpp"
#include "search/node_table.hpp"
#include "search/pimc.hpp"

namespace ofc {

struct IsmctsSettings {
    int simulations = 2000;
    LeafKind leaf = LeafKind::kHeuristic;
    double exploration = 0.2;
    bool widen = true;
    double widening = 1.5, widening_power = 0.4;
    bool exact = true;
    bool belief = false;
    int max_nodes = 65536;

    template <class Self, class Visit>
    static void for_each_field(Self& settings, Visit&& visit) {
        visit(Field{"simulations", "worlds dealt for a decision; more are slower and surer", 1, kMostSimulations},
              settings.simulations);
        visit(leaf_field(), settings.leaf);
        visit(Field{"exploration", "UCB1 constant, on values scaled to 0..1 by the extremes seen", 0, 1000},
              settings.exploration);
        visit(Field{"widen", "let the opening's placements enter the tree one by one, best by the heuristic first"},
              settings.widen);
        visit(Field{"widening", "with widen: ceil(widening * visits ^ widening_power) placements are open", 0.01, 1000},
              settings.widening);
        visit(Field{"widening_power", "see widening", 0, 1}, settings.widening_power);
        visit(exact_field(), settings.exact);
        visit(belief_field(), settings.belief);
        visit(Field{"max_nodes", "limit of the tree, about 300 bytes a node; past it the tree stops growing", 1,
                    kMostNodes},
              settings.max_nodes);
    }
};

class Ismcts {
public:
    class Tree;
    using Found = std::shared_ptr<const Tree>;

    Ismcts(const IsmctsSettings& settings, const Heuristic& heuristic);

    // One object may be searched with by many threads. The second step of an opening goes on in the tree of its first
    // step, whose own seed is given for it; every other search begins with an empty tree.
    Found search(const InformationSet& information, const Belief& belief, std::uint64_t seed,
                 std::uint64_t first_step_seed) const;
    // The same on the true hand, hidden cards and all, for comparison only.
    Found search_open(const Hand& hand, std::uint64_t seed) const;

    const IsmctsSettings& settings() const { return settings_; }
    const Heuristic& heuristic() const { return heuristic_; }

private:
    struct Opening {  // the tree of an opening's first step that was searched last
        std::uint64_t key = 0, seed = 0;
        Found tree;
    };
    Found search_first_step(const InformationSet& second_step, std::uint64_t seed) const;

    IsmctsSettings settings_;
    Heuristic heuristic_;
    std::shared_ptr<const LeafEvaluator> leaf_;
    mutable Mutex mutex_;  // of what follows
    mutable Opening opening_;
};

// What a search found.
class Ismcts::Tree {
public:
    explicit Tree(const Ismcts& search) : search_(&search) {}

    int best_action() const;                    // most visited slot
    std::vector<Candidate> candidates() const;  // whole placements: the one that is played first, then by mean
    std::size_t nodes() const { return nodes_.size(); }
    std::int64_t simulations() const { return simulations_; }
    // Visits of the node of an information set, 0 if the tree has none.
    std::int64_t visits(const InformationSet& information) const;

private:
    friend class Ismcts;
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

    const Ismcts* search_;
    NodeTable<Node> nodes_;
    InformationSet root_;
    std::vector<Candidate> solved_;  // of a last turn that was solved instead
    int root_seat_ = 0;
    std::int64_t simulations_ = 0;
    double lowest_ = 1e300, highest_ = -1e300;
};

std::uint64_t information_key(const InformationSet& information);

}  // namespace ofc
