// Hands played against itself, as training data for the network.
#pragma once

#include "network/network_search.hpp"

namespace ofc {

struct SelfPlaySettings {
    int candidates = 4;                                 // placements searched at a decision
    int simulations = 32;                               // shared by them
    double exploring_share = 0.75;                      // of the hands; the others are played by the search alone
    std::array<double, 3> temperatures{0.7, 1.5, 3.0};  // points; an exploring hand draws one
    int full_turns = 3;                                 // turns at full temperature; a third of it after them
    double target_temperature = 1.0;                    // points: the policy target is a softmax of the search values
    int opening_width = 232;
    double fantasyland_share = 0.08;  // of the hands are played against a fantasyland opponent
    double random_openings = 0.03;    // share of the hands whose two openings are random: exploring starts
    double start_share = 0.25;        // of the hands begin at one of the given positions, if there are any
    bool by_rollouts = false;         // judge by heuristic playouts instead of the network: a first teacher
};

// One decision: the placements searched, as states after them, and what the search and the hand said.
struct Decision {
    static constexpr int kMost = 8;
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
    // decisions. Where the reward has a share for the session, plays a whole session. Returns the number of hands.
    int play(std::uint64_t seed, std::span<const Hand> starts, std::vector<Decision>& out);

private:
    int play_session(Rng& rng, std::vector<Decision>& out);
    HandResult play_from(Hand hand, Rng& rng, std::vector<Decision>& out);
    Placement decide(const InformationSet& information, Rng& rng, double temperature, Decision& decision);

    SelfPlaySettings settings_;
    RewardConfig reward_;
    Heuristic heuristic_;
    std::unique_ptr<NetworkSearch> search_;
    std::unique_ptr<Rollout> rollout_;
};

}  // namespace ofc
