// Questions about finished hands: judged decision by decision, put together, rated.
#pragma once

#include <span>

#include "game/hand.hpp"
#include "json/writer.hpp"
#include "wasm/lines.hpp"

namespace ofc::wasm {

// A finished hand at its deal, and its placements in the order of play: rules, button, chips and fantasyland by seat,
// then of every decision the cards dealt and the placement.
struct GivenHand {
    Hand start;
    std::vector<Placement> placements;
};
GivenHand read_hand(Lines& in);

struct LinesQuestion {
    std::string_view name;
    void (*answer)(Lines&, Json&);
};
std::span<const LinesQuestion> review_questions();

}  // namespace ofc::wasm
