#include "review/positions.hpp"

#include <algorithm>

#include "env/observation.hpp"
#include "review/numbers.hpp"
#include "review/streams.hpp"
#include "search/world.hpp"

namespace ofc::review {
namespace {

constexpr int kMostBoards = 200;  // against which a fantasyland setting is scored; its own chances are certain

std::vector<Placement> placements_of(std::span<const Option> options) {
    std::vector<Placement> placements;
    for (const Option& option : options) placements.push_back(Placement::parse(option.placement));
    return placements;
}

// How each of some placements ends, in worlds that all of them meet.
std::vector<Endings> asked_endings(const Judge& judge, const InformationSet& info,
                                   std::span<const Placement> placements, int worlds, std::uint64_t seed) {
    if (worlds < 1) throw std::invalid_argument(std::to_string(worlds) + " worlds tell no chance: use 1 or more");
    if (info.own_fantasyland()) return judge.play(info, placements, std::min(worlds, kMostBoards), seed);
    return judge.play(info, placements, worlds, seed_of({seed, kAskedChances, observation_key(info, 0)}));
}

}  // namespace

void verify_position(const InformationSet& info, const Placement* placement) {
    if (!info.to_act()) throw std::invalid_argument("the seat holds no cards: say which cards are to be placed");
    if (info.opening_step) throw std::invalid_argument("half an opening is placed: give all five cards as the hand");
    if (!placement) return;
    Rng rng(0);
    world_of(info, rng).verify_placement(*placement);
}

Decision judged(const Judge& judge, const InformationSet& info, const Placement* placement) {
    verify_position(info, placement);
    return judge.judge(info, placement ? *placement : judge.best_choice(info));
}

Decision analysed(const Judge& judge, const InformationSet& info, const Placement* placement) {
    Decision decision = judged(judge, info, placement);
    const std::uint64_t seed = judge.settings().seed;
    const Effort& effort = judge.settings().effort;
    const auto placements = placements_of(decision.options);
    const auto endings = info.own_fantasyland()
                             ? judge.play(info, placements, effort.boards, seed)
                             : judge.play(info, placements, effort.played_on,
                                          seed_of({seed, kAnalysedChances, observation_key(info, 0)}));
    for (std::size_t i = 0; i < endings.size(); ++i) decision.options[i].chances = chances_of(endings[i]);
    return decision;
}

Chances chances(const Judge& judge, const InformationSet& info, const Placement* placement, int worlds,
                std::uint64_t seed) {
    if (!info.to_act())
        throw std::invalid_argument("the seat holds no cards: ask for the chances of one that is to act");
    const Placement placed = placement ? *placement : judge.first_choice(info);
    return chances_of(asked_endings(judge, info, {&placed, 1}, worlds, seed)[0]);
}

std::vector<Option> hint(const Judge& judge, const InformationSet& info, int shown, int worlds, std::uint64_t seed) {
    if (shown < 1) throw std::invalid_argument(std::to_string(shown) + " placements are no hint: ask for 1 or more");
    if (!info.to_act()) throw std::invalid_argument("the seat holds no cards: give a hint to one that is to act");
    std::vector<Option> options = judge.judge(info, judge.best_choice(info)).options;
    options.resize(std::min(options.size(), static_cast<std::size_t>(shown)));
    const auto endings = asked_endings(judge, info, placements_of(options), worlds, seed);
    for (std::size_t i = 0; i < options.size(); ++i) options[i].chances = chances_of(endings[i]);
    return options;
}

}  // namespace ofc::review
