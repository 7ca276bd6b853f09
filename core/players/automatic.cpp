#include "players/automatic.hpp"

namespace ofc {

std::vector<int> dealt_in_order(const Hand& hand) {
    std::vector<int> cards;
    for (int i = 0; i < hand.deck_size(); ++i)
        if (hand.in_hand & bit(hand.deck[i])) cards.push_back(hand.deck[i]);
    return cards;
}

Placement first_free_slots(std::span<const int> cards, const Board& board) {
    int kept = cards.size() == kTurnCards ? kTurnPlaced : kBoardCards;
    Placement placement;
    int row = kTop;
    for (const int card : cards) {
        while (row < kRows && board.free_slots(row) == count(placement.rows[row])) ++row;
        if (kept > 0 && row == kRows) throw std::invalid_argument("the board has no room for the cards of a turn");
        (kept-- > 0 ? placement.rows[row] : placement.discards) |= bit(card);
    }
    return placement;
}

}  // namespace ofc
