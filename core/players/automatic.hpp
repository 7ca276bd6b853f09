// What is played for a seat that does not choose.
#pragma once

#include <span>

#include "game/hand.hpp"

namespace ofc {

// The cards of the seat to act, in the order they were dealt.
std::vector<int> dealt_in_order(const Hand& hand);

// The cards as dealt into the first free slots, the rest discarded; 5 cards, 3, or a fantasyland hand.
Placement first_free_slots(std::span<const int> cards, const Board& board);

}  // namespace ofc
