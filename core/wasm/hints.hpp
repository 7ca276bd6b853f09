// How a placement will end, and the placements that are worth most: what a practice table tells.
#pragma once

#include "json/writer.hpp"
#include "network/referee.hpp"
#include "wasm/players.hpp"

namespace ofc::wasm {

// Chances of a placement, played on in so many worlds by the network of the rules, or else by the heuristic.
void write_chances(Json& json, const InformationSet& information, const Placement& placement, int worlds,
                   std::uint64_t seed);
// The best few of a player's ranking, each with its value and chances in the same worlds, the best first.
void write_hint(Json& json, const InformationSet& information, const Player& player, int shown, int worlds,
                std::uint64_t seed);

}  // namespace ofc::wasm
