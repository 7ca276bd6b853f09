#include "search/world.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

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

Hand world_of(const InformationSet& info, Rng& rng, const Rules* rules) {
    const int placed = count(info.mine.all()), held = count(info.in_hand);
    const bool own_fantasyland = info.own_fantasyland();
    Hand hand;
    hand.rules = rules;
    hand.chips = {static_cast<std::int16_t>(info.chips), static_cast<std::int16_t>(info.opponent_chips)};
    hand.fantasyland[1] = static_cast<std::uint8_t>(info.opponent_fantasyland);
    if (own_fantasyland) hand.fantasyland[0] = static_cast<std::uint8_t>(placed + held + count(info.discards));
    // Order of play means nothing in a fantasyland hand; seat 0 then counts as the button.
    hand.button = info.button || info.opponent_fantasyland ? 0 : 1;
    hand.boards = {info.mine, info.opponent};
    hand.discards[0] = info.discards;
    hand.opening_step = static_cast<std::uint8_t>(info.opening_step);

    Card unseen[kCards];
    int left = list_cards(info.unseen, unseen);
    rng.shuffle(unseen, left);
    const auto draw = [&](int n) {
        CardSet cards = 0;
        if (n < 0 || n > left) throw std::invalid_argument("not an observation: too few cards are unseen");
        while (n-- > 0) cards |= bit(unseen[--left]);
        return cards;
    };
    // What the opponent holds face down: discards, and a fantasyland board already set or its cards still in hand.
    const int other_placed = count(info.opponent.all());
    const bool over = placed == kBoardCards && other_placed == kBoardCards;
    CardSet other_in_hand = 0;
    int other_turns = other_placed < 5 ? 0 : (other_placed - 5) / 2 + 1;
    if (info.opponent_fantasyland && over) {
        hand.discards[1] = draw(info.opponent_fantasyland - kBoardCards);
    } else if (info.opponent_fantasyland) {
        const CardSet cards = draw(info.opponent_fantasyland);
        if (!held && (own_fantasyland || !placed)) {
            other_in_hand = cards;  // the opponent is about to set them
        } else if (!own_fantasyland) {
            const auto solution =
                solve_fantasyland(cards, default_stay_value(info.opponent_fantasyland, *rules), *rules);
            hand.boards[1].rows = solution.placement.rows;
            hand.discards[1] = solution.placement.discards;
        } else {
            // Both in fantasyland and I set first: the opponent's cards are still in the deck.
            for (CardSet rest = cards; rest; rest = without_lowest(rest))
                unseen[left++] = static_cast<Card>(lowest(rest));
        }
    } else {
        hand.discards[1] = draw(std::max(0, other_turns - 1));
        if (!held && !over) {
            other_in_hand = draw(other_placed < 5 ? 5 - other_placed : 3);
            hand.opening_step = other_placed > 0 && other_placed < 5;
        }
    }
    hand.in_hand = info.in_hand | other_in_hand;
    hand.player = static_cast<std::int8_t>(over ? kNobody : info.in_hand ? 0 : 1);

    // A deck that deals these cards: each seat's cards turn by turn in the order of dealing, then what is left.
    std::array<std::array<Card, kCards>, 2> own;
    std::array<int, 2> own_count{}, own_dealt{};
    for (int seat = 0; seat < 2; ++seat) {
        const CardSet held_now = hand.player == seat ? hand.in_hand : 0;
        // Discards and the cards in hand come last, so that the opening's five are among those placed.
        if (hand.opening_step && hand.player == seat) {
            own_count[seat] = list_cards(hand.boards[seat].all() | held_now, own[seat].data());
        } else {
            int n = list_cards(hand.boards[seat].all(), own[seat].data());
            Card discarded[kCards];
            const int d = list_cards(hand.discards[seat], discarded);
            if (!hand.fantasyland[seat])
                for (int i = 0; i < d; ++i) {  // turn i + 1: two placed cards, then its discard
                    const int at = 5 + 3 * i + 2;
                    std::copy_backward(own[seat].begin() + at, own[seat].begin() + n, own[seat].begin() + n + 1);
                    own[seat][at] = discarded[i];
                    ++n;
                }
            else
                for (int i = 0; i < d; ++i) own[seat][n++] = discarded[i];
            own_count[seat] = n + list_cards(held_now, own[seat].data() + n);
        }
    }
    int filled = 0;
    const auto deal = [&](int seat, int n) {
        while (n-- > 0 && own_dealt[seat] < own_count[seat]) hand.deck[filled++] = own[seat][own_dealt[seat]++];
    };
    for (const int seat : {static_cast<int>(hand.button), 1 - hand.button})
        if (hand.fantasyland[seat]) deal(seat, kLargestFantasyland);
    for (int turn = 0; turn < kTurns; ++turn)
        for (const int seat : {static_cast<int>(hand.button), 1 - hand.button}) deal(seat, turn ? 3 : 5);
    hand.dealt = static_cast<std::uint8_t>(filled);
    for (int i = 0; i < left; ++i) hand.deck[filled++] = unseen[i];
    hand.verify();
    return hand;
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
