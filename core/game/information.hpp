// What a seat knows: the boards it sees, its own cards, and the table.
#pragma once

#include "game/hand.hpp"

namespace ofc {

// All that a seat may know, as sets of cards.
struct InformationSet {
    Board mine, opponent;  // `opponent` is empty while it lies face down
    CardSet in_hand = 0;   // empty for a seat that waits, and after a placement
    CardSet discards = 0;  // mine
    CardSet unseen = kFullDeck;
    int turn = 0;
    int opening_step = 0;
    bool button = false;  // meaningless against a fantasyland opponent
    int opponent_fantasyland = 0;
    int chips = 200, opponent_chips = 200;

    bool operator==(const InformationSet&) const = default;

    // Whether the seat itself is in fantasyland.
    bool own_fantasyland() const;
    void verify() const;  // throws a sentence unless some seat of some hand can know just this
};

InformationSet information_set(const Hand& hand, int seat);

}  // namespace ofc
