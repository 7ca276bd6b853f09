// Placements played on in the same worlds: their chances, and the differences that explain a cost.
#pragma once

#include "network/referee.hpp"
#include "review/report.hpp"

namespace ofc::review {

using Endings = std::vector<Ending>;  // of one placement, world by world

std::vector<double> values_of(std::span<const Ending> endings);
Chances chances_of(std::span<const Ending> endings);
// What the first changed beside the second, in worlds that both met.
Difference difference(std::span<const Ending> played, std::span<const Ending> best, const RewardConfig& reward);

// Settings of a fantasyland hand against so many boards that the opponent may end with, a row of endings each.
std::vector<Endings> set_against(const InformationSet& information, std::span<const Placement> settings, int boards,
                                 const RewardConfig& reward, std::uint64_t seed);

}  // namespace ofc::review
