#include "wasm/hints.hpp"

#include <algorithm>
#include <cmath>

#include "env/observation.hpp"
#include "players/likely_boards.hpp"
#include "search/world.hpp"
#include "solvers/setting.hpp"
#include "wasm/bodies.hpp"

namespace ofc::wasm {

namespace {

using Endings = std::vector<Ending>;

template <class Pick>
double mean(const Endings& endings, Pick&& pick) {
    double sum = 0.0;
    for (const Ending& ending : endings) sum += pick(ending);
    return sum / static_cast<double>(endings.size());
}

double error(const std::vector<double>& values) {
    const auto n = static_cast<double>(values.size());
    if (n < 2) return 0.0;
    double sum = 0.0, squares = 0.0;
    for (const double value : values) sum += value;
    for (const double value : values) squares += (value - sum / n) * (value - sum / n);
    return std::sqrt(squares / (n - 1) / n);
}

double value(const Endings& endings) {
    return mean(endings, [](const Ending& ending) { return ending.value; });
}

// The difference of two placements world by world: both met the same.
std::vector<double> values(const Endings& endings, const Endings* less = nullptr) {
    std::vector<double> list;
    for (std::size_t i = 0; i < endings.size(); ++i) list.push_back(endings[i].value - (less ? (*less)[i].value : 0.0));
    return list;
}

void write_chances(Json& json, const Endings& endings) {
    const auto widths = [&](const char* name, int seat) {
        json[name].list([&] {
            for (int width = kSmallestFantasyland; width <= kLargestFantasyland; ++width)
                json.value(mean(endings, [&](const Ending& ending) { return ending.next_width[seat] == width; }));
        });
    };
    const auto of_seat = [&](int seat, const char* foul, const char* fantasyland, const char* royalties) {
        json.field(foul, mean(endings, [&](const Ending& ending) { return ending.fouled[seat]; }));
        widths(fantasyland, seat);
        json.field(royalties, mean(endings, [&](const Ending& ending) { return ending.royalties[seat]; }));
    };
    json.object([&] {
        json.field("value", value(endings)).field("error", error(values(endings)));
        of_seat(0, "foul", "fantasyland", "royalties");
        json["rows"].list([&] {
            for (int row = 0; row < kRows; ++row)
                json.value(mean(endings, [&](const Ending& ending) { return ending.lines[row] > 0; }));
        });
        of_seat(1, "opponent_foul", "opponent_fantasyland", "opponent_royalties");
    });
}

// Settings of a fantasyland hand against boards that the opponent may end with.
std::vector<Endings> set_against(const InformationSet& info, std::span<const Placement> placements, int boards,
                                 const RewardConfig& reward, std::uint64_t seed) {
    Rng rng(observation_key(info, seed));
    const auto opponents = sample_boards(info, boards, rng);
    std::vector<Endings> all;
    for (const Placement& placement : placements) {
        Endings& endings = all.emplace_back();
        for (const Board& other : opponents) {
            const HandResult result = score_boards({Board{placement.rows}, other}, {info.chips, info.opponent_chips},
                                                   {count(info.in_hand), info.opponent_fantasyland}, *info.rules);
            Ending& ending = endings.emplace_back();
            ending.value = reward.hand_rewards(result, false, *info.rules)[0];
            for (int seat = 0; seat < 2; ++seat) {
                ending.fouled[seat] = result.summaries[seat].fouled;
                ending.next_width[seat] = result.next_width[seat];
                ending.royalties[seat] = result.summaries[seat].royalty_total;
            }
            ending.lines = result.lines;
        }
    }
    return all;
}

std::vector<Endings> played_on(const InformationSet& info, std::span<const Placement> placements, int worlds,
                               std::uint64_t seed) {
    if (worlds < 1) throw std::invalid_argument(std::to_string(worlds) + " worlds tell no chance: use 1 or more");
    const Trained* trained = trained_for(*info.rules);
    const RewardConfig reward = trained ? trained->reward : RewardConfig::preset("equity", *info.rules);
    if (info.own_fantasyland()) return set_against(info, placements, std::min(worlds, 200), reward, seed);
    const Referee referee({}, trained ? trained->network : nullptr, reward, *info.rules);
    return referee.play(info, placements, worlds, seed);
}

}  // namespace

void write_chances(Json& json, const InformationSet& info, const Placement& placement, int worlds, std::uint64_t seed) {
    write_chances(json, played_on(info, {&placement, 1}, worlds, seed)[0]);
}

void write_hint(Json& json, const InformationSet& info, const Player& player, int shown, int worlds,
                std::uint64_t seed) {
    std::vector<Placement> placements;
    if (info.own_fantasyland())
        placements.push_back(usual_setting(info.in_hand, *info.rules).placement);
    else
        for (const Candidate& candidate : player.rank(info, seed))
            if (static_cast<int>(placements.size()) < shown) placements.push_back(candidate.placement);
    const auto all = played_on(info, placements, worlds, seed);
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < all.size(); ++i) order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return value(all[a]) > value(all[b]); });
    const Endings& best = all[order[0]];
    json.list([&] {
        for (const std::size_t i : order)
            json.object([&] {
                json["placement"].object([&] { write_action(json, placements[i]); });
                json.field("value", value(all[i])).field("error", error(values(all[i])));
                json.field("behind", value(best) - value(all[i])).field("behind_error", error(values(best, &all[i])));
                write_chances(json["chances"], all[i]);
            });
    });
}

}  // namespace ofc::wasm
