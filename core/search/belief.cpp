#include "search/belief.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace ofc {

Belief::Belief(std::span<const InformationSet> decisions, const Heuristic& heuristic)
    : Belief(decisions, heuristic, Settings{}) {}

Belief::Belief(std::span<const InformationSet> decisions, const Heuristic& heuristic, const Settings& settings) {
    for (std::size_t i = 1; i < decisions.size(); ++i)
        if (!decisions[i].follows(decisions[i - 1]))
            throw std::invalid_argument("the history of decisions is out of order: '" + decisions[i].text() +
                                        "' does not follow '" + decisions[i - 1].text() + "'");
    if (decisions.empty() || decisions.back().opponent_fantasyland) return;
    const InformationSet& now = decisions.back();
    const int turns = turns_played(count(now.opponent.all()));
    if (turns <= 1) return;  // the opening has no discard
    weights_.resize(turns - 1);
    std::array<Heuristic::Choice, kOpenings> choices;
    for (std::size_t i = 1; i < decisions.size(); ++i) {
        const Board& before = decisions[i - 1].opponent;
        const Board& after = decisions[i].opponent;
        const int turn = turns_played(count(before.all()));
        if (turn == 0 || count(after.all()) != placed_after(turn)) continue;
        Placement seen;
        for (int row = 0; row < kRows; ++row) seen.rows[row] = after.rows[row] & ~before.rows[row];
        // The first seat's placement of the turn was on the table when the second seat answered it.
        const CardSet mine = decisions[decisions[i - 1].first() ? i : i - 1].mine.all();
        auto& weights = weights_[turn - 1];
        weights.fill(0.0f);
        double sum = 0.0, square = 0.0;
        for (CardSet rest = now.unseen; rest; rest = without_lowest(rest)) {
            const int card = lowest(rest);
            const CardSet hand = seen.all() | bit(card);
            const Position position{before, hand, now.cards() & ~(before.all() | mine | hand), 0};
            const int n = heuristic.evaluate(position, choices.data());
            float best = choices[0].value, chosen = 0.0f;
            for (int k = 1; k < n; ++k) best = std::max(best, choices[k].value);
            double total = 0.0, share = 0.0;
            for (int k = 0; k < n; ++k) {
                const double weight = std::exp((choices[k].value - best) / settings.temperature);
                total += weight;
                if (choices[k].placement.rows == seen.rows) share = weight;
            }
            chosen = static_cast<float>((1.0 - settings.floor) * share / total + settings.floor / n);
            weights[card] = chosen;
            sum += chosen;
            square += static_cast<double>(chosen) * chosen;
        }
        const double effective = sum * sum / square;
        if (!(effective >= settings.smallest_share * count(now.unseen))) weights.fill(0.0f);  // degenerate: uniform
    }
}

int Belief::draw_discards(Card* cards, int n, int discards, Rng& rng) const {
    for (int i = 0; i < discards; ++i) {
        int chosen = -1;
        if (i < turns()) {
            double sum = 0.0;
            for (int k = i; k < n; ++k) sum += weights_[i][cards[k]];
            if (sum > 0.0) {
                double at = rng.uniform() * sum;
                for (int k = i; k < n; ++k) {
                    at -= weights_[i][cards[k]];
                    if (weights_[i][cards[k]] > 0.0f) chosen = k;
                    if (at < 0.0 && chosen == k) break;
                }
            }
        }
        if (chosen < 0) chosen = i + static_cast<int>(rng.below(static_cast<std::uint32_t>(n - i)));
        std::swap(cards[i], cards[chosen]);
    }
    return discards;
}

std::pair<double, double> Belief::log_likelihood(CardSet unseen, std::span<const int> discards) const {
    double believed = 0.0, uniform = 0.0;
    for (std::size_t i = 0; i < discards.size(); ++i) {
        double sum = 0.0;
        if (i < weights_.size())
            for (CardSet rest = unseen; rest; rest = without_lowest(rest)) sum += weights_[i][lowest(rest)];
        const double flat = -std::log(count(unseen));
        uniform += flat;
        believed += sum > 0.0 ? std::log(weights_[i][discards[i]] / sum) : flat;
        unseen &= ~bit(discards[i]);
    }
    return {believed, uniform};
}

}  // namespace ofc
