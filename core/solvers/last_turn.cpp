#include "solvers/last_turn.hpp"

#include <algorithm>
#include <stdexcept>

#include "solvers/finish.hpp"

namespace ofc {
namespace {

// Means over all three-card draws of the opponent, which keeps the two cards and the placement best for itself.
void against_next_draw(const InformationSet& info, const Stakes& stakes, std::span<const Finish> mine,
                       std::span<double> values) {
    Card unseen[kCards];
    const int n = list_cards(info.unseen, unseen);
    const Finishes theirs(info.opponent, std::span(unseen).first(static_cast<std::size_t>(n)), stakes);
    const auto at = [n](int i, int j) { return static_cast<std::size_t>(i * n + j); };
    const bool zero_sum = stakes.reward.foul == 0.0 && stakes.reward.fantasyland_entry == 0.0;
    // After the opponent's best use of a pair: what it is left to lose, the lowest of which it chooses, and my value.
    std::vector<float> answer(static_cast<std::size_t>(n * n));
    std::vector<std::pair<float, float>> paid(zero_sum ? 0 : answer.size());
    for (std::size_t k = 0; k < mine.size(); ++k) {
        for (int i = 0; i < n; ++i)
            for (int j = i + 1; j < n; ++j) {
                std::pair<float, float> best{std::numeric_limits<float>::infinity(), 0.0f};
                for (const Finish& other : theirs.of(i, j)) {
                    const double value = stakes.value(mine[k], other.summary, other.width, other.future);
                    best = std::min(best, {static_cast<float>(value - other.own), static_cast<float>(value)});
                }
                answer[at(i, j)] = best.first;
                if (!zero_sum) paid[at(i, j)] = best;
            }
        if (zero_sum) {
            values[k] = mean_least_of_three(answer, n);
            continue;
        }
        double total = 0.0;
        for (int a = 0; a < n; ++a)
            for (int b = a + 1; b < n; ++b)
                for (int c = b + 1; c < n; ++c)
                    total += std::min({paid[at(a, b)], paid[at(a, c)], paid[at(b, c)]}).second;
        values[k] = total / draws_of_three(n);
    }
}

}  // namespace

TurnValues solve_last_turn(const InformationSet& info, const RewardConfig& reward, const Rules& rules,
                           std::span<const HiddenBoard> hidden_boards) {
    if (info.turn != kTurns - 1 || count(info.in_hand) != kTurnCards)
        throw std::invalid_argument("the last turn is turn 4 with three cards in hand, not turn " +
                                    std::to_string(info.turn) + " with " + std::to_string(count(info.in_hand)));
    const Stakes stakes(info, reward, rules);
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
        mine[legal++] = stakes.finish(board);
    }
    std::array<double, kTurnSlots> found{};
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
        const Finish other = stakes.finish(info.opponent);
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
