#include "game/information.hpp"

#include <stdexcept>

namespace ofc {

InformationSet information_set(const Hand& hand, int seat) {
    const int other = 1 - seat;
    InformationSet info;
    info.mine = hand.boards[seat];
    if (!hand.hidden_from(seat)) info.opponent = hand.boards[other];
    info.in_hand = hand.player == seat ? hand.in_hand : 0;
    info.discards = hand.discards[seat];
    info.unseen = kFullDeck & ~(info.mine.all() | info.opponent.all() | info.in_hand | info.discards);
    info.turn = hand.turn_of(seat);
    info.opening_step = hand.player == seat ? hand.opening_step : 0;
    info.button = hand.button == seat;
    info.opponent_fantasyland = hand.fantasyland[other];
    info.chips = hand.chips[seat];
    info.opponent_chips = hand.chips[other];
    return info;
}

// A finished board with four discards is a normal one, unless the
// opponent is too far behind for that.
bool InformationSet::own_fantasyland() const {
    if (count(in_hand) >= kSmallestFantasyland) return true;
    if (!mine.complete() || turn != kTurns - 1) return false;
    const int opponents = acts_first(button) ? placed_before(turn) : placed_after(turn);
    return count(discards) != discards_after(turn) || (!opponent_fantasyland && count(opponent.all()) < opponents);
}

void InformationSet::verify() const {
    mine.verify();
    opponent.verify();
    const int placed = count(mine.all()), held = count(in_hand), discarded = count(discards);
    const std::string state = std::to_string(placed) + " cards placed, " + std::to_string(held) + " in hand, " +
                              std::to_string(discarded) + " discarded on turn " + std::to_string(turn);
    bool fits;
    if (own_fantasyland())
        fits = placed == 0 ? held <= kLargestFantasyland && discarded == 0 && turn == 0
                           : held == 0 && discarded >= 1 && discarded <= 4;
    else if (opening_step)
        fits = held >= 1 && placed + held == kOpeningCards && count(mine.rows[kBottom]) == placed && discarded == 0;
    else if (turn == 0)
        fits = (held ? placed == 0 && held == kOpeningCards : placed == 0 || placed == kOpeningCards) && discarded == 0;
    else
        fits = held ? held == kTurnCards && placed == placed_before(turn) && discarded == discards_after(turn - 1)
                    : placed == placed_after(turn) && discarded == discards_after(turn);
    if (!fits) throw std::invalid_argument("not an observation: " + state);
}

}  // namespace ofc
