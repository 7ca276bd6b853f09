#include "search/pimc.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "search/halving.hpp"
#include "search/tally.hpp"

namespace ofc {
namespace {

struct Playouts {
    Tally<double> value;
    double fouls = 0.0, fantasylands = 0.0, royalties = 0.0;

    void add(const Leaf& leaf) {
        value.add(leaf.value);
        fouls += leaf.fouled;
        fantasylands += leaf.fantasyland;
        royalties += leaf.royalties;
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
    const int racing = information.turn == 0 ? std::min(n, settings_.opening_width) : n;

    const WorldSampler worlds(information, heuristic_.reward(), rng, belief);
    std::vector<Playouts> playouts(static_cast<std::size_t>(n));
    std::vector<int> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    const auto score = [&](int i) {
        const Tally<double>& value = playouts[i].value;
        return value.mean() - settings_.risk * value.deviation();
    };
    const auto started = std::chrono::steady_clock::now();
    run_race(
        {settings_.rollouts, settings_.race ? halving_rounds(racing) : 1, seed}, worlds,
        std::span(order).first(static_cast<std::size_t>(racing)),
        [&](int i, Hand& world, Rng& play_rng) {
            world.apply(choices[i].placement);
            return leaf_->evaluate(world, play_rng);
        },
        [&](int i, const Leaf& leaf) { playouts[i].add(leaf); }, score,
        [&](std::uint64_t) {
            const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - started;
            return settings_.seconds > 0.0 && passed.count() > settings_.seconds;
        });
    std::vector<Candidate> candidates;
    for (const int i : order) {
        const auto& [value, fouls, fantasylands, royalties] = playouts[i];
        Candidate& candidate = candidates.emplace_back();
        candidate.placement = choices[i].placement;
        candidate.prior = choices[i].value;
        candidate.rollouts = value.n;
        if (!value.n) {
            candidate.mean = std::nan("");
            candidate.error = candidate.foul = candidate.fantasyland = candidate.royalties = candidate.mean;
            continue;
        }
        const auto runs = static_cast<double>(value.n);
        candidate.mean = score(i);
        candidate.error = value.error();
        candidate.foul = fouls / runs;
        candidate.fantasyland = fantasylands / runs;
        candidate.royalties = royalties / runs;
    }
    order_by_mean(candidates);
    return candidates;
}

}  // namespace ofc
