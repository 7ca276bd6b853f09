// Fouls that no card to come can prevent.
#pragma once

#include "game/information.hpp"

namespace ofc {

// Whether the seat's board is fouled after a placement of its turn, whatever cards come. Before the last turn every
// pair of unseen cards is tried; earlier the outlook of the board decides, which takes any card for possible. Throws a
// sentence where the placement is none of the position.
bool is_lost(const InformationSet& information, const Placement& placement);

// The same, where another placement of the turn would not have lost the board.
bool makes_foul_certain(const InformationSet& information, const Placement& placement);

}  // namespace ofc
