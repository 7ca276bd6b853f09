// What a seat in fantasyland is up against: boards that its opponent may end with.
#pragma once

#include "game/information.hpp"

namespace ofc {

inline constexpr int kMostLikelyBoards = 4096;

// Such boards for a seat that is about to set its cards, each from cards of its own, dealt evenly from what the seat
// has not seen: played by the heuristic, which knows as little of the seat's cards as an opponent would, or set by the
// solver if the opponent is in fantasyland too. Throws a sentence unless the seat is about to set.
std::vector<Board> sample_boards(const InformationSet& information, int boards, Rng& rng);

}  // namespace ofc
