// Hands played against itself, as training data for the network.
#pragma once

#include "network/network_search.hpp"

namespace ofc {

enum class PolicyTarget { kValues, kVisits };
inline constexpr std::array<const char*, 2> kPolicyTargetNames{"values", "visits"};

struct SelfPlaySettings {
    static constexpr int kMostCandidates = 8;

    int candidates = 4;
    int simulations = 32;
    int last_simulations = 0;
    RootRule root = RootRule::kHalving;
    int draws = 1;
    double prior_weight = 0.0;
    double noise = 0.0, noise_alpha = 0.3;
    double visit_temperature = 1.0;
    PolicyTarget policy_target = PolicyTarget::kValues;
    double exploring_share = 0.75;
    std::array<double, 3> temperatures{0.7, 1.5, 3.0};
    int full_turns = 3;
    double target_temperature = 1.0;
    int opening_width = 232;
    double fantasyland_share = 0.08;
    double random_openings = 0.03;
    double start_share = 0.25;
    bool by_rollouts = false;

    template <class Self, class Visit>
    static void for_each_field(Self& settings, Visit&& visit) {
        visit(Field{"candidates", "placements of a decision that are searched, or kept of a tree", 1, kMostCandidates},
              settings.candidates);
        visit(Field{"simulations", "of a decision, shared by them", 1, kMostSimulations}, settings.simulations);
        visit(Field{"last_simulations",
                    "with root=halving: those of turn 3, where they end in solved positions; 0 takes `simulations`", 0,
                    kMostSimulations},
              settings.last_simulations);
        visit(Field{.name = "root", .help = "what searches: see alphazero", .choices = kRootNames}, settings.root);
        visit(Field{"draws", "with root=halving: own draws that a simulation averages; see alphazero", 1, 8},
              settings.draws);
        visit(Field{"prior_weight",
                    "worlds that the network's own value of a placement counts for; 0 learns from what the worlds say",
                    0, 1e6},
              settings.prior_weight);
        visit(Field{"noise", "with root=tree: share of Dirichlet noise in the root's policy, in hands that explore", 0,
                    1},
              settings.noise);
        visit(Field{"noise_alpha", "of that noise; smaller is spikier", 0.001, 1000}, settings.noise_alpha);
        visit(Field{"visit_temperature", "with root=tree: a hand that explores draws placements by visits ^ (1 / this)",
                    0.001, 100},
              settings.visit_temperature);
        visit(Field{.name = "policy_target",
                    .help = "what the policy learns: a softmax of the search's values, or with root=tree its visits",
                    .choices = kPolicyTargetNames},
              settings.policy_target);
        visit(Field{"exploring_share", "of the hands explore; the others are played by the search alone", 0, 1},
              settings.exploring_share);
        visit(Field{"temperatures", "with root=halving, points; an exploring hand draws one", 0.001, 1e6},
              settings.temperatures);
        visit(Field{"full_turns", "turns at full temperature; a third of it after them", 0, kTurns},
              settings.full_turns);
        visit(Field{"target_temperature", "points: the policy target is a softmax of the search's values", 0.001, 1e6},
              settings.target_temperature);
        visit(opening_width_field(), settings.opening_width);
        visit(Field{"fantasyland_share", "of the hands are against a fantasyland opponent", 0, 1},
              settings.fantasyland_share);
        visit(Field{"random_openings", "share of the hands whose two openings are random", 0, 1},
              settings.random_openings);
        visit(Field{"start_share", "of the hands begin at one of the given positions, if there are any", 0, 1},
              settings.start_share);
        visit(Field{"by_rollouts", "judge by heuristic playouts instead of the network: a first teacher"},
              settings.by_rollouts);
    }

    void verify() const;  // throws a sentence over what is out of bounds, or set and of no use
};

// One decision: the placements searched, as states after them, and what the search and the hand said.
struct Decision {
    static constexpr int kMost = SelfPlaySettings::kMostCandidates;
    std::array<PackedState, kMost> states{};
    std::array<float, kMost> values{};  // by the search, points
    std::array<float, kMost> policy{};  // search distribution, sums to 1
    int count = 0;
    int chosen = 0;
    int seat = 0;
    float outcome = 0.0f;  // equity of the hand for this seat
    float fouled = 0.0f, fantasyland = 0.0f, royalties = 0.0f;
};

class SelfPlay {
public:
    // `network` may be null with `by_rollouts`.
    SelfPlay(const SelfPlaySettings& settings, std::shared_ptr<const Network> network, const RewardConfig& reward,
             const Rules& rules);

    // Plays one hand, from a fresh deal or from one of `starts` with its unseen cards dealt anew, and appends its
    // decisions. Where the reward is for sessions, plays a whole session. Returns the number of hands.
    int play(std::uint64_t seed, std::span<const Hand> starts, std::vector<Decision>& out);

private:
    int play_session(Rng& rng, std::vector<Decision>& out);
    HandResult play_from(Hand hand, Rng& rng, std::vector<Decision>& out);
    Placement decide(const InformationSet& information, Rng& rng, double temperature, Decision& decision);
    Placement decide_by_tree(const InformationSet& information, Rng& rng, double temperature, Decision& decision);

    SelfPlaySettings settings_;
    RewardConfig reward_;
    Heuristic heuristic_;
    std::vector<int> widths_;                                   // of the fantasylands that the rules have
    std::unique_ptr<NetworkSearch> search_, last_, exploring_;  // of turn 3, and with noise
    std::unique_ptr<Rollout> rollout_;
};

}  // namespace ofc
