// Boards that a fantasyland opponent may have set, for a search that comes to the end of the hand.
#pragma once

#include <algorithm>
#include <limits>
#include <mutex>

#include "game/random.hpp"
#include "search/world.hpp"
#include "solvers/last_turn.hpp"

namespace ofc {

// Sampled when somebody first asks; may be asked by several threads.
class HiddenBoards {
public:
    // `root`, `reward` and what they refer to must outlive this.
    HiddenBoards(const InformationSet& root, const RewardConfig& reward, int boards, std::uint64_t seed)
        : root_(root), reward_(reward), boards_(boards), seed_(seed) {}

    std::span<const HiddenBoard> all() {
        std::call_once(once_, [&] {
            Rng rng(seed_);
            all_ = sample_hidden_boards(root_.unseen, root_.opponent_fantasyland, boards_, rng, reward_, *root_.rules);
        });
        return all_;
    }

    // Those that hold no card seen since; all of them where too few are left to tell one's own luck from theirs.
    std::vector<HiddenBoard> among(CardSet unseen) {
        const auto boards = all();
        std::vector<HiddenBoard> found;
        std::copy_if(boards.begin(), boards.end(), std::back_inserter(found),
                     [&](const HiddenBoard& hidden) { return !((hidden.board.all() | hidden.discards) & ~unseen); });
        return found.size() < kFewest ? std::vector<HiddenBoard>(boards.begin(), boards.end()) : found;
    }

    // What the seat to act on the last turn can expect, against one of these where the opponent's board lies face down.
    double solve(const InformationSet& last_turn) {
        std::vector<HiddenBoard> hidden;
        if (last_turn.opponent_fantasyland) hidden = among(last_turn.unseen);
        double best = -std::numeric_limits<double>::infinity();
        for (const double value : solve_last_turn(last_turn, reward_, *last_turn.rules, hidden))
            if (value > best) best = value;  // never for those that are not legal
        return best;
    }

private:
    static constexpr std::size_t kFewest = 4;

    const InformationSet& root_;
    const RewardConfig& reward_;
    const int boards_;
    const std::uint64_t seed_;
    std::once_flag once_;
    std::vector<HiddenBoard> all_;
};

}  // namespace ofc
