#include "solvers/last_draw.hpp"

#include <stdexcept>

namespace ofc {
namespace {

Board placed(Board board, const Placement& placement) {
    for (int row = 0; row < kRows; ++row) board.rows[row] |= placement.rows[row];
    if (count(board.all()) != placed_before(kTurns - 1))
        throw std::invalid_argument("before the last turn a board has 11 cards, not " +
                                    std::to_string(count(board.all())));
    return board;
}

Finishes finishes_of(const Board& board, CardSet unseen, const Stakes& stakes) {
    Card cards[kCards];
    const int n = list_cards(unseen, cards);
    return {board, std::span(cards).first(static_cast<std::size_t>(n)), stakes};
}

}  // namespace

LastDraw::LastDraw(const InformationSet& before, const Placement& placement, const RewardConfig& reward,
                   const Rules& rules)
    : stakes_(before, reward, rules), finishes_(finishes_of(placed(before.mine, placement), before.unseen, stakes_)) {
    std::int8_t number = 0;
    for (CardSet cards = before.unseen; cards; cards = without_lowest(cards)) number_[lowest(cards)] = number++;
}

double LastDraw::against(const Board& opponent, CardSet deck) const {
    const Finish other = stakes_.finish(opponent);
    std::array<int, kCards> numbers;
    int n = 0;
    for (; deck; deck = without_lowest(deck)) numbers[n++] = number_[lowest(deck)];
    std::array<float, kCards * kCards> cost;
    for (int i = 0; i < n; ++i)
        for (int j = i + 1; j < n; ++j) {
            float least = std::numeric_limits<float>::infinity();
            for (const Finish& mine : finishes_.of(numbers[i], numbers[j]))
                least = std::min(least, -static_cast<float>(
                                            stakes_.value(mine, other.summary, other.width, other.future) + mine.own));
            cost[static_cast<std::size_t>(i * n + j)] = least;
        }
    return -mean_least_of_three(cost, n);
}

}  // namespace ofc
