#include "solvers/last_turn.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "game/win_chances.hpp"

namespace ofc {
namespace {

// A finished board, what its fantasyland is worth to one seat and costs the other, and what its own seat alone is paid.
struct Finish {
    BoardSummary summary;
    int width;
    double future;
    double own;
};

Finish finish(Board board, CardSet first, int first_row, CardSet second, int second_row, const RewardConfig& reward,
              const Rules& rules) {
    board.rows[first_row] |= first;
    board.rows[second_row] |= second;
    Finish done{summarize(board, rules), 0, 0.0, 0.0};
    done.width = done.summary.entry_width;
    done.future = reward.width_value(done.width);
    reward.add_own(done.own, done.summary.entry_width > 0, done.summary.fouled);
    return done;
}

// The zero-sum part of the reward of two finished boards.
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

    double value(const Finish& mine, const BoardSummary& other, int other_width, double other_future) const {
        const int scored = points(mine.summary, other, rules);
        const double value = reward.zero_sum(chips_moved(scored, chips), mine.future) - other_future;
        if (!chances) return value;
        const int moved = chips_moved(scored, standing);
        const double after = chances->standing({standing[0] + moved, standing[1] - moved}, {mine.width, other_width});
        return value + reward.win * (after - before);
    }
};

// Means over all three-card draws of the opponent, which keeps the two cards and the placement best for itself.
// A placement's value does not depend on the card thrown away, so all pairs of cards are tabled first.
void against_next_draw(const InformationSet& info, const Stakes& stakes, std::span<const Finish> mine,
                       std::span<double> values) {
    const RewardConfig& reward = stakes.reward;
    const Rules& rules = stakes.rules;
    Card unseen[kCards];
    const int n = list_cards(info.unseen, unseen);
    std::array<int, 2> rows{};
    for (int row = 0, found = 0; row < kRows; ++row)
        for (int slot = 0; slot < info.opponent.free_slots(row); ++slot) rows[found++] = row;
    const int orders = rows[0] == rows[1] ? 1 : 2;
    std::vector<Finish> theirs(static_cast<std::size_t>(n * n) * 2);
    const auto at = [n](int i, int j) { return static_cast<std::size_t>(i * n + j); };
    for (int i = 0; i < n; ++i)
        for (int j = i + 1; j < n; ++j)
            for (int order = 0; order < orders; ++order)
                theirs[2 * at(i, j) + order] =
                    finish(info.opponent, bit(unseen[i]), rows[order], bit(unseen[j]), rows[1 - order], reward, rules);
    const bool zero_sum = reward.foul == 0.0 && reward.fantasyland_entry == 0.0;
    // After the opponent's best use of a pair: what it is left to lose, the lowest of which it chooses, and my value.
    std::vector<float> answer(static_cast<std::size_t>(n * n));
    std::vector<std::pair<float, float>> paid(zero_sum ? 0 : answer.size());
    for (std::size_t k = 0; k < mine.size(); ++k) {
        for (int i = 0; i < n; ++i)
            for (int j = i + 1; j < n; ++j) {
                std::pair<float, float> best{std::numeric_limits<float>::infinity(), 0.0f};
                for (int order = 0; order < orders; ++order) {
                    const Finish& other = theirs[2 * at(i, j) + order];
                    const double value = stakes.value(mine[k], other.summary, other.width, other.future);
                    best = std::min(best, {static_cast<float>(value - other.own), static_cast<float>(value)});
                }
                answer[at(i, j)] = best.first;
                if (!zero_sum) paid[at(i, j)] = best;
            }
        double total = 0.0;
        if (!zero_sum) {
            for (int a = 0; a < n; ++a)
                for (int b = a + 1; b < n; ++b)
                    for (int c = b + 1; c < n; ++c)
                        total += std::min({paid[at(a, b)], paid[at(a, c)], paid[at(b, c)]}).second;
            values[k] = total / (n * (n - 1) * (n - 2) / 6);
            continue;
        }
        for (int a = 0; a < n; ++a)
            for (int b = a + 1; b < n; ++b) {
                const float ab = answer[at(a, b)];
                const float* from_a = &answer[at(a, 0)];
                const float* from_b = &answer[at(b, 0)];
                float sum = 0.0f;
                for (int c = b + 1; c < n; ++c) sum += std::min(ab, std::min(from_a[c], from_b[c]));
                total += sum;
            }
        values[k] = total / (n * (n - 1) * (n - 2) / 6);
    }
}

}  // namespace

TurnValues solve_last_turn(const InformationSet& info, const RewardConfig& reward, const Rules& rules,
                           std::span<const HiddenBoard> hidden_boards) {
    if (info.turn != kTurns - 1 || count(info.in_hand) != kTurnCards)
        throw std::invalid_argument("the last turn is turn 4 with three cards in hand, not turn " +
                                    std::to_string(info.turn) + " with " + std::to_string(count(info.in_hand)));
    TurnValues values;
    values.fill(std::numeric_limits<double>::quiet_NaN());
    std::array<int, kTurnSlots> slots;
    std::array<Finish, kTurnSlots> mine;
    std::size_t legal = 0;
    for (int slot = 0; slot < kTurnSlots; ++slot) {
        if (!legal_turns(info.mine).mask[slot]) continue;
        const Placement placement = turn_placement(info.in_hand, slot);
        Board board = info.mine;
        for (int row = 0; row < kRows; ++row) board.rows[row] |= placement.rows[row];
        slots[legal] = slot;
        mine[legal++] = finish(board, 0, 0, 0, 0, reward, rules);
    }
    std::array<double, kTurnSlots> found{};
    const Stakes stakes(info, reward, rules);
    if (info.opponent_fantasyland) {
        if (hidden_boards.empty())
            throw std::invalid_argument("against fantasyland the last turn needs sampled boards, and there are none");
        for (std::size_t k = 0; k < legal; ++k) {
            for (const HiddenBoard& board : hidden_boards)
                found[k] +=
                    stakes.value(mine[k], board.summary, board.next_width, reward.width_value(board.next_width));
            found[k] /= static_cast<double>(hidden_boards.size());
        }
    } else if (info.opponent.complete()) {
        const Finish other = finish(info.opponent, 0, 0, 0, 0, reward, rules);
        for (std::size_t k = 0; k < legal; ++k)
            found[k] = stakes.value(mine[k], other.summary, other.width, other.future);
    } else if (count(info.opponent.all()) == placed_before(kTurns - 1)) {
        against_next_draw(info, stakes, std::span(mine).first(legal), found);
    } else {
        throw std::invalid_argument("on the last turn the opponent has placed 11 or 13 cards, not " +
                                    std::to_string(count(info.opponent.all())));
    }
    for (std::size_t k = 0; k < legal; ++k) values[slots[k]] = found[k] + mine[k].own;
    return values;
}

BestSlot best_last_slot(const Hand& world, const RewardConfig& reward, const Rules& rules) {
    const TurnValues values = solve_last_turn(information_set(world, world.player), reward, rules);
    int best = -1;
    for (int slot = 0; slot < kTurnSlots; ++slot)
        if (values[slot] == values[slot] && (best < 0 || values[slot] > values[best])) best = slot;
    return {best, values[best]};
}

}  // namespace ofc
