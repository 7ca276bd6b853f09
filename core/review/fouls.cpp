// When a foul became certain, and which decision lost the hand to it.
#include "game/fouls.hpp"

#include <algorithm>

#include "review/numbers.hpp"
#include "review/review.hpp"

namespace ofc::review {
namespace {

// The turn whose placement made a foul most likelier than the best one; none if none surely did.
std::optional<int> lost_at(std::span<const Decision> decisions) {
    std::optional<int> turn;
    double most = 0.0;
    for (const Decision& each : decisions) {
        if (!each.difference) continue;
        const auto& [foul, error] = std::pair(each.difference->foul, each.difference->foul_error);
        if (foul <= 0.0 || foul <= kNormalQuantile * error || foul < most) continue;
        most = foul;
        turn = each.turn;
    }
    return turn;
}

}  // namespace

std::optional<Foul> foul_of(std::span<const Decision> decisions) {
    if (decisions.empty() || decisions.back().turn != kTurns - 1) return std::nullopt;
    const auto ended = InformationSet::parse(decisions.back().information);
    if (!is_lost(ended, Placement::parse(decisions.back().played))) return std::nullopt;
    for (std::size_t number = 0; number < decisions.size(); ++number) {
        const Decision& each = decisions[number];
        const auto info = InformationSet::parse(each.information);
        const auto placements = info.placements();
        const bool hopeless = std::all_of(placements.begin(), placements.end(),
                                          [&](const Placement& placement) { return is_lost(info, placement); });
        if (hopeless) return Foul{each.seat, each.turn, "deal", lost_at(decisions.first(number))};
        if (is_lost(info, Placement::parse(each.played))) return Foul{each.seat, each.turn, "placement", each.turn};
    }
    throw std::invalid_argument("a board that ends fouled must be lost after its last placement");
}

}  // namespace ofc::review
