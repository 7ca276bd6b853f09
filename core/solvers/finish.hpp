// Boards that two more cards finish, what they pay, and the draws of three that bring the two.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "game/information.hpp"
#include "game/reward.hpp"
#include "game/win_chances.hpp"

namespace ofc {

// A finished board, what its fantasyland is worth to one seat and costs the other, and what its own seat alone is paid.
struct Finish {
    BoardSummary summary;
    int width;
    double future;
    double own;
};

// What the seat of an information set is paid for finished boards.
struct Stakes {
    const RewardConfig& reward;
    const Rules& rules;
    std::array<int, 2> chips;     // that can move, mine first
    const WinChances* chances;    // where winning the session is paid for
    std::array<int, 2> standing;  // the chips, whether or not points are capped by them
    double before = 0.0;          // the standing's worth

    Stakes(const InformationSet& info, const RewardConfig& r, const Rules& ruled)
        : reward(r),
          rules(ruled),
          chances(r.win != 0.0 ? &win_chances(ruled) : nullptr),
          standing{info.chips, info.opponent_chips} {
        constexpr int kUnlimited = std::numeric_limits<int>::max();
        chips = r.capped ? standing : std::array{kUnlimited, kUnlimited};
        if (chances) before = chances->standing(standing, {0, info.opponent_fantasyland});
    }

    Finish finish(const Board& board) const {
        Finish done{summarize(board, rules), 0, 0.0, 0.0};
        done.width = done.summary.entry_width;
        done.future = reward.width_value(done.width);
        reward.add_own(done.own, done.summary.entry_width > 0, done.summary.fouled);
        return done;
    }

    // The zero-sum part of the reward.
    double value(const Finish& mine, const BoardSummary& other, int other_width, double other_future) const {
        const int scored = points(mine.summary, other, rules);
        const double value = reward.zero_sum(chips_moved(scored, chips), mine.future) - other_future;
        if (!chances) return value;
        const int moved = chips_moved(scored, standing);
        const double after = chances->standing({standing[0] + moved, standing[1] - moved}, {mine.width, other_width});
        return value + reward.win * (after - before);
    }
};

// Every way to finish a board of eleven cards with two of the given ones. A placement's value does not depend on the
// card thrown away, so draws of three follow from pairs.
class Finishes {
public:
    Finishes(const Board& board, std::span<const Card> cards, const Stakes& stakes)
        : n_(static_cast<int>(cards.size())) {
        std::array<int, 2> rows{};
        for (int row = 0, found = 0; row < kRows; ++row)
            for (int slot = 0; slot < board.free_slots(row); ++slot) rows[found++] = row;
        orders_ = rows[0] == rows[1] ? 1 : 2;
        all_.resize(static_cast<std::size_t>(n_ * n_) * 2);
        for (int i = 0; i < n_; ++i)
            for (int j = i + 1; j < n_; ++j)
                for (int order = 0; order < orders_; ++order) {
                    Board finished = board;
                    finished.rows[rows[order]] |= bit(cards[i]);
                    finished.rows[rows[1 - order]] |= bit(cards[j]);
                    all_[2 * at(i, j) + order] = stakes.finish(finished);
                }
    }

    // Of the cards numbered i < j: one for each order in which they can be placed.
    std::span<const Finish> of(int i, int j) const { return {&all_[2 * at(i, j)], static_cast<std::size_t>(orders_)}; }
    int cards() const { return n_; }

private:
    std::size_t at(int i, int j) const { return static_cast<std::size_t>(i * n_ + j); }

    int n_, orders_;
    std::vector<Finish> all_;
};

constexpr int draws_of_three(int n) { return n * (n - 1) * (n - 2) / 6; }

// The mean over all draws of three of n cards of the least that any pair of the three costs; `cost[i * n + j]`, i < j.
inline double mean_least_of_three(std::span<const float> cost, int n) {
    double total = 0.0;
    for (int a = 0; a < n; ++a)
        for (int b = a + 1; b < n; ++b) {
            const float ab = cost[static_cast<std::size_t>(a * n + b)];
            const float* from_a = &cost[static_cast<std::size_t>(a * n)];
            const float* from_b = &cost[static_cast<std::size_t>(b * n)];
            float sum = 0.0f;
            for (int c = b + 1; c < n; ++c) sum += std::min(ab, std::min(from_a[c], from_b[c]));
            total += sum;
        }
    return total / draws_of_three(n);
}

}  // namespace ofc
