// The judge of reviews, for the rules of a hand.
#pragma once

#include "review/judge.hpp"
#include "wasm/lines.hpp"

namespace ofc::wasm {

// Of these rules, by the network that was loaded for them, or by heuristic playouts where there is none; kept for the
// next question.
const review::Judge& judge_of(const Rules& rules, const review::Effort& effort = {});

// What was measured of a network: what a seat is worth, then by turn the two slopes; nothing where the lines are empty.
review::Calibration read_calibration(Lines& in);

}  // namespace ofc::wasm
