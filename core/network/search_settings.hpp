// What a search on the network can be told.
#pragma once

#include "players/handicap.hpp"
#include "search/settings.hpp"

namespace ofc {

enum class RootRule { kHalving, kTree };
inline constexpr std::array<const char*, 2> kRootNames{"halving", "tree"};

struct NetworkSearchSettings {
    int sims = 200;
    RootRule root = RootRule::kHalving;
    double prior_weight = 16.0;
    // A look ahead of one decision or two.
    int candidates = 12;
    int depth = 1;
    int draws = 3;
    // A tree.
    double c_puct = 60.0;
    double prior_temperature = 2.0;
    double widening = 1.0, widening_power = 0.75;
    double noise = 0.0, noise_alpha = 0.3;
    double visit_temperature = 0.0;
    int max_nodes = 16384;
    int shares = 4;
    // Both.
    double opponent_temperature = 0.0;
    double risk = 0.0;
    bool exact = true;
    bool belief = false;
    int opening_width = 232;
    int threads = 1;
    double seconds = 0.0;
    double temperature = 0.0;

    template <class Self, class Visit>
    static void for_each_field(Self& settings, Visit&& visit) {
        visit(Field{"sims", "simulations of a decision; 0 plays the network's first choice", 0, kMostSimulations},
              settings.sims);
        visit(Field{.name = "root",
                    .help = "halving: a look ahead to the next own decision, by sequential halving over common worlds; "
                            "tree: a tree of own decisions and of what may follow them, chosen through by PUCT",
                    .choices = kRootNames},
              settings.root);
        visit(Field{"prior_weight", "worlds that the network's own value of a placement counts for", 0, 1e6},
              settings.prior_weight);
        for_each_halving_field(settings, visit);
        for_each_tree_field(settings, visit);
        visit(Field{"opponent_temperature",
                    "points; 0 lets a network that answers in the search play its best placement, more another one now "
                    "and then",
                    0, 1e6},
              settings.opponent_temperature);
        visit(risk_field(), settings.risk);
        visit(exact_field(), settings.exact);
        visit(belief_field(), settings.belief);
        visit(opening_width_field(), settings.opening_width);
        visit(Field{"threads", "that one decision is spread over; the answer does not depend on them", 1, 256},
              settings.threads);
        visit(seconds_field(), settings.seconds);
        visit(temperature_field(), settings.temperature);
    }

    // Those that only one of the two roots has a use for.
    template <class Self, class Visit>
    static void for_each_halving_field(Self& settings, Visit&& visit) {
        visit(Field{"candidates", "with root=halving: placements that enter it", 1, kOpenings}, settings.candidates);
        visit(Field{"depth",
                    "with root=halving: own decisions looked ahead; at 2 the best of the next decision's placements "
                    "are looked ahead in their turn, and a simulation takes some ten times as long",
                    1, 2},
              settings.depth);
        visit(
            Field{"draws",
                  "with root=halving: own draws that a simulation averages at the decision where it ends; above 1 the "
                  "last turn is averaged over all draws that a world has, and solved over them second to act; 1 "
                  "with a risk",
                  1, 8},
            settings.draws);
    }
    template <class Self, class Visit>
    static void for_each_tree_field(Self& settings, Visit&& visit) {
        visit(Field{"c_puct", "with root=tree, points: weight of the policy head against values; more is broader", 0,
                    1000},
              settings.c_puct);
        visit(Field{"prior_temperature", "with root=tree: of the policy head's softmax; more is flatter", 0.001, 1e6},
              settings.prior_temperature);
        visit(Field{"widening",
                    "with root=tree: after n visits a placement has ceil(widening * n ^ widening_power) outcomes", 0.01,
                    1000},
              settings.widening);
        visit(Field{"widening_power", "see widening", 0, 1}, settings.widening_power);
        visit(Field{"noise", "with root=tree: share of Dirichlet noise in the root's policy, for training", 0, 1},
              settings.noise);
        visit(Field{"noise_alpha", "of that noise; smaller is spikier", 0.001, 1000}, settings.noise_alpha);
        visit(Field{"visit_temperature",
                    "with root=tree, for training: a placement is drawn by visits ^ (1 / this); 0 plays the best", 0,
                    100},
              settings.visit_temperature);
        visit(Field{"max_nodes", "with root=tree: limit of all decisions kept, about 3 kB each", 1, kMostNodes},
              settings.max_nodes);
        visit(
            Field{"shares",
                  "with root=tree: trees of their own that the simulations are dealt out to and that threads can take",
                  1, 256},
            settings.shares);
    }

    // Throws a sentence if an option is set that the root has no use for.
    void verify() const;
};

}  // namespace ofc
