#include "network/referee.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "game/poll.hpp"
#include "players/rollout.hpp"
#include "search/tally.hpp"
#include "search/world.hpp"

namespace ofc {
namespace {

using Entry = Judgement::Entry;

double mean(const std::vector<float>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Whether a placement is clearly behind the leader in the worlds of both.
bool is_behind(const Entry& entry, const Entry& leader, double z) {
    Tally<double> gap;
    for (std::size_t world = 0; world < entry.race.size(); ++world) gap.add(leader.race[world] - entry.race[world]);
    return gap.mean() > z * gap.error();
}

}  // namespace

Ending ending_of(const HandResult& result, const RewardConfig& reward, const Rules& rules) {
    const auto& boards = result.summaries;
    return {reward.hand_rewards(result, false, rules)[0],
            {boards[0].fouled, boards[1].fouled},
            result.next_width,
            {boards[0].royalty_total, boards[1].royalty_total},
            result.lines};
}

Referee::Referee(const RefereeSettings& settings, std::shared_ptr<const Network> network, const RewardConfig& reward,
                 const Rules& rules)
    : settings_(settings), network_(std::move(network)), heuristic_(reward.by_hand(rules), rules) {}

std::vector<Network::Choice> Referee::evaluate(const InformationSet& info) const {
    std::vector<Network::Choice> choices(kOpenings);
    if (network_) {
        choices.resize(
            static_cast<std::size_t>(network_->evaluate_placements(info, choices.data(), heuristic_, kOpenings)));
        return choices;
    }
    std::array<Heuristic::Choice, kOpenings> judged;
    choices.resize(static_cast<std::size_t>(heuristic_.evaluate(position_of(info), judged.data())));
    for (std::size_t i = 0; i < choices.size(); ++i) choices[i] = {judged[i].placement, {judged[i].value}};
    return choices;
}

Placement Referee::choose(const Hand& world) const {
    if (closes_the_hand(world))
        return turn_placement(world.in_hand, best_last_slot(world, heuristic_.reward(), *world.rules).slot);
    const InformationSet info = information_set(world, world.player);
    if (!network_) return heuristic_.best(position_of(info));
    std::array<Network::Choice, kOpenings> choices;
    const int n = network_->evaluate_placements(info, choices.data(), heuristic_);
    return std::max_element(choices.begin(), choices.begin() + n,
                            [](const auto& a, const auto& b) { return a.output[kValue] < b.output[kValue]; })
        ->placement;
}

void Referee::play_on(Hand& world) const {
    while (!world.finished()) world.apply(choose(world));
}

std::vector<std::vector<Ending>> Referee::play(const InformationSet& info, std::span<const Placement> placements,
                                               int worlds, std::uint64_t seed) const {
    info.verify_placements(placements);
    std::vector<std::vector<Ending>> endings(placements.size());
    for (int number = 0; number < worlds; ++number) {
        poll();
        Rng rng(combine_seeds(seed, static_cast<std::uint64_t>(number)));
        const Hand world = world_of(info, rng);
        for (std::size_t i = 0; i < placements.size(); ++i) {
            Hand hand = world;
            hand.apply(placements[i]);
            play_on(hand);
            endings[i].push_back(ending_of(hand.result(), heuristic_.reward(), heuristic_.rules()));
        }
    }
    return endings;
}

Judgement Referee::judge(const InformationSet& info, std::uint64_t seed, std::span<const Placement> asked) const {
    info.verify_placements(asked);
    Judgement judgement;
    auto& entries = judgement.entries;
    for (const auto& choice : evaluate(info))
        entries.push_back({choice.placement, pack_after(info, choice.placement), choice.output[kValue], {}, {}});
    std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.prior > b.prior; });
    std::vector<std::size_t> judged;  // by the fresh worlds
    for (const Placement& placement : asked) {
        const auto found = std::find_if(entries.begin(), entries.end(),
                                        [&](const Entry& entry) { return entry.placement == placement; });
        judged.push_back(static_cast<std::size_t>(found - entries.begin()));
    }
    // A world is dealt whole, with a board of its own to a fantasyland opponent, so that the worlds are independent.
    const auto play_in_world = [&](std::uint64_t world_seed, const std::vector<std::size_t>& played,
                                   std::vector<float> Entry::* values) {
        poll();
        Rng rng(world_seed);
        const Hand world = world_of(info, rng);
        for (const std::size_t i : played) {
            Hand hand = world;
            hand.apply(entries[i].placement);
            play_on(hand);
            (entries[i].*values).push_back(static_cast<float>(score_leaf(hand, heuristic_.reward()).value));
        }
        judgement.rollouts += static_cast<std::int64_t>(played.size());
    };

    auto& left = judgement.left;
    left.resize(entries.size());
    std::iota(left.begin(), left.end(), 0);
    for (int dealt = 0; dealt < settings_.worlds && (!dealt || left.size() > 1);) {
        for (const int until = std::min(settings_.worlds, dealt + settings_.block); dealt < until; ++dealt)
            play_in_world(combine_seeds(seed, static_cast<std::uint64_t>(dealt)), left, &Entry::race);
        std::vector<double> means;
        for (const std::size_t i : left) means.push_back(mean(entries[i].race));
        judgement.leader = left[static_cast<std::size_t>(std::max_element(means.begin(), means.end()) - means.begin())];
        std::erase_if(left,
                      [&](std::size_t i) { return is_behind(entries[i], entries[judgement.leader], settings_.z); });
    }

    judged.insert(judged.end(), left.begin(), left.end());
    std::sort(judged.begin(), judged.end());
    judged.erase(std::unique(judged.begin(), judged.end()), judged.end());
    for (int dealt = 0; dealt < settings_.fresh; ++dealt)
        play_in_world(combine_seeds(~seed, static_cast<std::uint64_t>(dealt)), judged, &Entry::fresh);
    return judgement;
}

}  // namespace ofc
