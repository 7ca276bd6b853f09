#include "review/endings.hpp"

#include "env/observation.hpp"
#include "players/likely_boards.hpp"
#include "review/numbers.hpp"

namespace ofc::review {
namespace {

// A number of every ending, or of every pair of endings.
template <class Pick>
std::vector<double> column(std::span<const Ending> endings, Pick&& pick) {
    std::vector<double> numbers;
    numbers.reserve(endings.size());
    for (const Ending& ending : endings) numbers.push_back(static_cast<double>(pick(ending)));
    return numbers;
}

template <class Pick>
std::vector<double> column(std::span<const Ending> played, std::span<const Ending> best, Pick&& pick) {
    std::vector<double> numbers;
    numbers.reserve(played.size());
    for (std::size_t i = 0; i < played.size(); ++i) numbers.push_back(static_cast<double>(pick(played[i], best[i])));
    return numbers;
}

std::array<double, kWidths> shares(std::span<const Ending> endings, int seat) {
    std::array<double, kWidths> found{};
    for (std::size_t i = 0; i < kWidths; ++i)
        found[i] = rounded(mean(column(endings, [&](const Ending& ending) {
            return ending.next_width[seat] == kSmallestFantasyland + static_cast<int>(i);
        })));
    return found;
}

double share_of_row(std::span<const Ending> endings, int row) {
    return mean(column(endings, [&](const Ending& ending) { return ending.lines[row] > 0; }));
}

}  // namespace

std::vector<double> values_of(std::span<const Ending> endings) {
    return column(endings, [](const Ending& ending) { return ending.value; });
}

Chances chances_of(std::span<const Ending> endings) {
    const auto average = [&](auto&& pick) { return rounded(mean(column(endings, pick))); };
    const std::vector<double> values = values_of(endings);
    Chances chances;
    chances.value = rounded(mean(values));
    chances.error = rounded(error_of(values));
    chances.foul = average([](const Ending& ending) { return ending.fouled[0]; });
    chances.fantasyland = shares(endings, 0);
    chances.royalties = average([](const Ending& ending) { return ending.royalties[0]; });
    for (int row = 0; row < kRows; ++row) chances.rows[row] = rounded(share_of_row(endings, row));
    chances.opponent_foul = average([](const Ending& ending) { return ending.fouled[1]; });
    chances.opponent_fantasyland = shares(endings, 1);
    chances.opponent_royalties = average([](const Ending& ending) { return ending.royalties[1]; });
    return chances;
}

Difference difference(std::span<const Ending> played, std::span<const Ending> best, const RewardConfig& reward) {
    const auto of_both = [&](auto&& pick) { return column(played, best, pick); };
    const auto where_same = [&](auto&& pick) {
        return of_both([&](const Ending& a, const Ending& b) { return a.fouled[0] == b.fouled[0] ? pick(a, b) : 0.0; });
    };
    const auto worth = [&](int width) { return reward.width_value(width); };
    const auto gap = of_both([](const Ending& a, const Ending& b) { return a.value - b.value; });
    const auto by_foul =
        of_both([](const Ending& a, const Ending& b) { return a.fouled[0] == b.fouled[0] ? 0.0 : a.value - b.value; });
    const auto future =
        where_same([&](const Ending& a, const Ending& b) { return worth(a.next_width[0]) - worth(b.next_width[0]); });
    const auto royalties =
        where_same([&](const Ending& a, const Ending& b) { return reward.points * (a.royalties[0] - b.royalties[0]); });
    const auto theirs = where_same([&](const Ending& a, const Ending& b) {
        return worth(b.next_width[1]) - worth(a.next_width[1]) + reward.points * (b.royalties[1] - a.royalties[1]);
    });
    std::vector<double> left(gap);
    for (std::size_t i = 0; i < left.size(); ++i) left[i] -= by_foul[i] + future[i] + royalties[i] + theirs[i];
    const auto fouls = of_both([](const Ending& a, const Ending& b) { return a.fouled[0] - b.fouled[0]; });
    const auto wins =
        of_both([](const Ending& a, const Ending& b) { return (a.next_width[0] > 0) - (b.next_width[0] > 0); });
    const auto own = of_both([](const Ending& a, const Ending& b) { return a.royalties[0] - b.royalties[0]; });
    const auto set = [](double& to, double& to_error, const std::vector<double>& numbers) {
        to = rounded(mean(numbers));
        to_error = rounded(error_of(numbers));
    };
    Difference found;
    set(found.value, found.value_error, gap);
    set(found.by_foul, found.by_foul_error, by_foul);
    set(found.by_fantasyland, found.by_fantasyland_error, future);
    set(found.by_royalties, found.by_royalties_error, royalties);
    set(found.by_opponent, found.by_opponent_error, theirs);
    // What is left of the sum as it is kept.
    found.by_rows =
        rounded(found.value - (found.by_foul + found.by_fantasyland + found.by_royalties + found.by_opponent));
    found.by_rows_error = rounded(error_of(left));
    set(found.foul, found.foul_error, fouls);
    set(found.any_fantasyland, found.any_fantasyland_error, wins);
    set(found.royalties, found.royalties_error, own);
    const auto mine = shares(played, 0), other = shares(best, 0);
    for (std::size_t i = 0; i < kWidths; ++i) found.fantasyland[i] = rounded(mine[i] - other[i]);
    for (int row = 0; row < kRows; ++row)
        found.rows[row] = rounded(share_of_row(played, row) - share_of_row(best, row));
    return found;
}

std::vector<Endings> set_against(const InformationSet& info, std::span<const Placement> settings, int boards,
                                 const RewardConfig& reward, std::uint64_t seed) {
    Rng rng(observation_key(info, seed));
    const std::vector<Board> opponents = sample_boards(info, boards, rng);
    std::vector<Endings> all;
    for (const Placement& setting : settings) {
        Endings& endings = all.emplace_back();
        for (const Board& other : opponents) {
            const HandResult result = score_boards({Board{setting.rows}, other}, {info.chips, info.opponent_chips},
                                                   {count(info.in_hand), info.opponent_fantasyland}, *info.rules);
            endings.push_back(ending_of(result, reward, *info.rules));
        }
    }
    return all;
}

}  // namespace ofc::review
