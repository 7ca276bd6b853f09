#include "search/world.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/fantasyland.hpp"

namespace ofc {

Belief::Belief(std::span<const InformationSet> decisions, const Heuristic& heuristic)
    : Belief(decisions, heuristic, Settings{}) {}

Belief::Belief(std::span<const InformationSet> decisions, const Heuristic& heuristic, const Settings& settings) {
    if (decisions.empty() || decisions.back().opponent_fantasyland) return;
    const InformationSet& now = decisions.back();
    const int opponent_cards = count(now.opponent.all());
    if (opponent_cards <= 5) return;
    weights_.resize((opponent_cards - 5) / 2);
    std::array<Heuristic::Choice, kOpenings> choices;
    for (std::size_t i = 1; i < decisions.size(); ++i) {
        const Board& before = decisions[i - 1].opponent;
        const Board& after = decisions[i].opponent;
        const int placed_before = count(before.all());
        if (placed_before < 5 || count(after.all()) != placed_before + 2) continue;  // the opening has no discard
        Placement seen;
        for (int row = 0; row < kRows; ++row) seen.rows[row] = after.rows[row] & ~before.rows[row];
        // The button's own placement of the turn was on the table when the second seat answered it.
        const CardSet mine = decisions[i - 1].button ? decisions[i].mine.all() : decisions[i - 1].mine.all();
        auto& weights = weights_[(placed_before - 5) / 2];
        weights.fill(0.0f);
        double sum = 0.0, square = 0.0;
        for (CardSet rest = now.unseen; rest; rest = without_lowest(rest)) {
            const int card = lowest(rest);
            const CardSet hand = seen.all() | bit(card);
            const Position position{before, hand, kFullDeck & ~(before.all() | mine | hand), 0};
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

WorldSampler::WorldSampler(const InformationSet& information, const Rules* rules, const RewardConfig& reward, Rng& rng,
                           Belief belief, int hidden_boards)
    : info_(information), base_(world_of(information, rng, rules)), belief_(std::move(belief)) {
    if (!info_.opponent_fantasyland) return;
    Card cards[kCards];
    const int n = list_cards(info_.unseen, cards), width = info_.opponent_fantasyland;
    const double stay_value = reward.width_value(rules->stay_width(width));
    for (int i = 0; i < hidden_boards; ++i) {
        rng.shuffle_first(cards, n, width);
        CardSet dealt = 0;
        for (int k = 0; k < width; ++k) dealt |= bit(cards[k]);
        const FantasylandSolution solution = solve_fantasyland(dealt, stay_value, *rules);
        hidden_.push_back({solution.board(), solution.placement.discards});
    }
}

Hand WorldSampler::sample(Rng& rng) const {
    Hand world = base_;
    CardSet unseen = info_.unseen;
    if (!hidden_.empty()) {
        const Hidden& hidden = hidden_[rng.below(static_cast<std::uint32_t>(hidden_.size()))];
        world.boards[1] = hidden.board;
        world.discards[1] = hidden.discards;
        unseen &= ~(hidden.board.all() | hidden.discards);
    }
    Card cards[kCards];
    const int n = list_cards(unseen, cards);
    int used = 0;
    if (!info_.opponent_fantasyland) {
        used = belief_.draw_discards(cards, n, count(base_.discards[1]), rng);
        world.discards[1] = 0;
        for (int i = 0; i < used; ++i) world.discards[1] |= bit(cards[i]);
    }
    const int left = std::min(n - used, kCards - world.dealt);
    rng.shuffle_first(cards + used, n - used, std::min(left, 29));  // more than any seats can still be dealt
    std::copy(cards + used, cards + used + left, world.deck.begin() + world.dealt);
    return world;
}

}  // namespace ofc
