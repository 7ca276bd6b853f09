// Search guided by the network: a look ahead over common worlds, or a tree (network/tree_search.hpp).
//
// A simulation of the look-ahead deals a world from what is unseen, plays one of the root's placements, lets the
// opponent answer, and ends at the searcher's next decision: there the network judges every placement of the newly
// dealt cards and the best is the value. With depth=2 the best few of them are looked ahead in their turn.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "network/network.hpp"
#include "network/search_settings.hpp"
#include "search/pimc.hpp"

namespace ofc {

struct SearchStatistics {
    std::int64_t simulations = 0;
    std::size_t nodes = 0;  // decisions of the tree, beside the root
    int depth = 0;          // own decisions in a row that were searched
    double visits = 0.0;    // of a node, on average
    double seconds = 0.0;
};

// Who answers in the worlds of a search: the placement of the seat to act. May be called by several threads.
using Opponent = std::function<Placement(const Hand& world, Rng& rng)>;

// A placement as the network alone sees it.
Candidate judged(const Network::Choice& choice);

class NetworkSearch {
public:
    // Without an opponent the network itself answers.
    NetworkSearch(const NetworkSearchSettings& settings, std::shared_ptr<const Network> network,
                  const RewardConfig& reward, Opponent opponent = {});

    // All placements judged: the one that is played first, then by mean; the mean of a placement that was not searched
    // is the network's own value. The `extra` placement enters the halving whatever its value. One object may be
    // searched with by many threads.
    std::vector<Candidate> search(const InformationSet& information, const Belief& belief, std::uint64_t seed,
                                  const Placement* extra = nullptr, SearchStatistics* statistics = nullptr) const;
    // What these placements are worth in so many worlds, the same for all and none that a search has met: a row of
    // values each, looked ahead as a search does, without its race or the network's own value of them. Worlds are
    // dealt evenly, without a belief.
    std::vector<std::vector<float>> compare(const InformationSet& information, std::span<const Placement> placements,
                                            int worlds, std::uint64_t seed) const;
    // What the opponent does in a world in which it is to act.
    Placement answer(const Hand& world, Rng& rng) const {
        return opponent_ ? opponent_(world, rng) : answer_by(*network_, world, rng);
    }
    // The same of an opponent that plays by a network: its best by that, or drawn by opponent_temperature.
    Placement answer_by(const Network& network, const Hand& world, Rng& rng) const;
    // Every placement of a decision judged; returns how many.
    int judge(const InformationSet& information, Network::Choice* out) const {
        return network_->evaluate_placements(information, out, heuristic_, settings_.opening_width);
    }

    const Network& network() const { return *network_; }
    const Heuristic& heuristic() const { return heuristic_; }
    const NetworkSearchSettings& settings() const { return settings_; }

private:
    NetworkSearchSettings settings_;
    std::shared_ptr<const Network> network_;
    Heuristic heuristic_;
    Opponent opponent_;
};

}  // namespace ofc
