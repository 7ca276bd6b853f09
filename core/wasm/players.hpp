// Who plays a seat: the players of the levels, by the names that `agents.make` knows them by.
#pragma once

#include <memory>

#include "network/network_search.hpp"
#include "review/judge.hpp"

namespace ofc::wasm {

class Player {
public:
    virtual ~Player() = default;
    // Every placement of the turn, what is played first; throws a sentence where the player gives them no values.
    virtual std::vector<Candidate> rank(const InformationSet& information, std::uint64_t seed) const = 0;
    // The slot that it plays. All chance follows from the seed and from what the seat sees.
    virtual int choose(const InformationSet& information, std::uint64_t seed) const {
        return information.slots_of(rank(information, seed).front().placement).at[0];
    }

    int fantasyland_boards = 0;  // that it sets fantasyland hands against
};

// A network that was loaded, the reward it learned, and what is known of it; of its rules, or null.
struct Trained {
    std::shared_ptr<const Network> network;
    RewardConfig reward;
    std::string digest;  // of its weights
    review::Calibration calibration;
};
void add_network(Trained trained);
const Trained* trained_for(const Rules& rules);

// "heuristic:careless=0.4,temperature=0.6", "alphazero:sims=500", "pimc:rollouts=500" or "random"; throws a sentence
// where it cannot play by these rules. Kept for the next question.
const Player& player(std::string_view name, const Rules& rules);

// The placement of the seat to act, found from nothing but what it knows; the solver sets its fantasyland hands.
Placement choose_placement(const Player& player, const Hand& hand, std::uint64_t seed);

}  // namespace ofc::wasm
