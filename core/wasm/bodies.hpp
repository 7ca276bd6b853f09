// Values of the game as messages carry them: the same names and shapes as the server's.
#pragma once

#include "game/outlook.hpp"
#include "game/session.hpp"
#include "json/writer.hpp"
#include "search/candidate.hpp"

namespace ofc::wasm {

void write_cards(Json& json, CardSet cards);
void write_board(Json& json, const Board& board);
void write_action(Json& json, const Placement& placement);  // fields `placements`, `discard` or `discards`
void write_result(Json& json, const HandResult& result);
void write_rules(Json& json, const Rules& rules);
void write_outlook(Json& json, const Board& board, const Rules& rules);
void write_candidate(Json& json, const Candidate& candidate);

void write_names(Json& json, const std::vector<int>& cards);

}  // namespace ofc::wasm
