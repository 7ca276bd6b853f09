#include "search/pimc.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace ofc {
namespace {

struct Tally {
    double sum = 0.0, square = 0.0, fouls = 0.0, fantasylands = 0.0, royalties = 0.0;
    std::int64_t n = 0;

    void add(const Leaf& leaf) {
        sum += leaf.value;
        square += leaf.value * leaf.value;
        fouls += leaf.fouled;
        fantasylands += leaf.fantasyland;
        royalties += leaf.royalties;
        ++n;
    }
    double mean() const { return n ? sum / static_cast<double>(n) : 0.0; }
    double deviation() const {
        return n > 1 ? std::sqrt(std::max(0.0, (square - sum * mean()) / static_cast<double>(n - 1))) : 0.0;
    }
};

}  // namespace

std::vector<Candidate> solve_last_candidates(const InformationSet& information, const Heuristic& heuristic, Rng& rng,
                                             int samples) {
    std::vector<HiddenBoard> hidden;
    if (information.opponent_fantasyland)
        hidden = sample_hidden_boards(information.unseen, information.opponent_fantasyland, samples, rng,
                                      heuristic.reward(), heuristic.rules());
    const TurnValues values = solve_last_turn(information, heuristic.reward(), heuristic.rules(), hidden);
    std::vector<Candidate> candidates;
    for (int slot = 0; slot < kTurnSlots; ++slot) {
        if (!(values[slot] == values[slot])) continue;
        Candidate& candidate = candidates.emplace_back();
        candidate.placement = turn_placement(information.in_hand, slot);
        candidate.mean = values[slot];
        Board board = information.mine;
        for (int row = 0; row < kRows; ++row) board.rows[row] |= candidate.placement.rows[row];
        const BoardSummary summary = summarize(board, heuristic.rules());
        candidate.foul = summary.fouled;
        candidate.fantasyland = summary.entry_width > 0;
        candidate.royalties = summary.royalty_total;
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& a, const Candidate& b) { return a.mean > b.mean; });
    return candidates;
}

std::vector<Candidate> Pimc::search(const InformationSet& information, const Belief& belief, std::uint64_t seed) const {
    Rng rng(seed);
    if (settings_.exact && information.turn == kTurns - 1) return solve_last_candidates(information, heuristic_, rng);
    std::array<Heuristic::Choice, kOpenings> choices;
    const int n = heuristic_.evaluate(position_of(information), choices.data());
    std::stable_sort(choices.begin(), choices.begin() + n,
                     [](const auto& a, const auto& b) { return a.value > b.value; });
    const int alive_at_start = information.turn == 0 ? std::min(n, settings_.opening_width) : n;

    const WorldSampler worlds(information, intern(heuristic_.rules()), heuristic_.reward(), rng, belief);
    std::vector<Tally> tallies(static_cast<std::size_t>(n));
    std::vector<int> order(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) order[i] = i;
    const auto score = [&](int i) { return tallies[i].mean() - settings_.risk * tallies[i].deviation(); };
    const auto started = std::chrono::steady_clock::now();
    const auto out_of_time = [&] {
        return settings_.seconds > 0.0 &&
               std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count() > settings_.seconds;
    };

    int rounds = 1;
    if (settings_.race)
        while ((1 << rounds) < alive_at_start) ++rounds;  // the race is over when one is left
    int alive = alive_at_start;
    std::uint64_t world_number = 0;
    std::int64_t spent = 0;
    for (int round = 0; round < rounds && alive >= 1; ++round) {
        // Whole worlds only: every candidate still alive sees each of them.
        const std::int64_t share = (settings_.rollouts - spent) / (rounds - round);
        const std::int64_t dealt = std::max<std::int64_t>(1, share / alive);
        for (std::int64_t w = 0; w < dealt && !out_of_time(); ++w, ++world_number) {
            Rng world_rng(combine_seeds(seed, world_number));
            const Hand world = worlds.sample(world_rng);
            for (int k = 0; k < alive; ++k) {
                Hand played = world;
                Rng play_rng(combine_seeds(~seed, world_number));
                played.apply(choices[order[k]].placement);
                tallies[order[k]].add(leaf_->evaluate(played, play_rng));
            }
            spent += alive;
        }
        std::stable_sort(order.begin(), order.begin() + alive, [&](int a, int b) { return score(a) > score(b); });
        if (settings_.race) alive = std::max(1, (alive + 1) / 2);
        if (alive == 1 && round + 1 < rounds && settings_.race) break;
    }
    std::vector<Candidate> candidates;
    for (const int i : order) {
        const Tally& tally = tallies[i];
        Candidate& candidate = candidates.emplace_back();
        candidate.placement = choices[i].placement;
        candidate.prior = choices[i].value;
        candidate.rollouts = tally.n;
        if (!tally.n) {
            candidate.mean = std::nan("");
            candidate.error = candidate.foul = candidate.fantasyland = candidate.royalties = candidate.mean;
            continue;
        }
        const auto runs = static_cast<double>(tally.n);
        candidate.mean = score(i);
        candidate.error = tally.deviation() / std::sqrt(runs);
        candidate.foul = tally.fouls / runs;
        candidate.fantasyland = tally.fantasylands / runs;
        candidate.royalties = tally.royalties / runs;
    }
    return candidates;
}

}  // namespace ofc
