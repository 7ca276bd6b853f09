#include "players/heuristic.hpp"

#include <algorithm>
#include <cmath>

namespace ofc {
namespace {

constexpr int kMaxPool = 54, kMaxOuts = 20, kMaxNeed = 5;

// Chance that at least `need` of `outs` cards of a pool are among those of the next `turns` turns: exact, tabled.
struct HitTable {
    std::array<std::array<std::array<std::array<float, kMaxNeed + 1>, kMaxOuts + 1>, kMaxPool + 1>, kTurns> chance{};

    HitTable() {
        const auto log_choose = [](int n, int k) {
            return std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0);
        };
        for (int turns = 0; turns < kTurns; ++turns)
            for (int pool = 0; pool <= kMaxPool; ++pool)
                for (int outs = 0; outs <= kMaxOuts; ++outs) {
                    const int draws = std::min(kTurnCards * turns, pool), usable = std::min(outs, pool);
                    double below = 0.0;
                    for (int need = 0; need <= kMaxNeed; ++need) {
                        chance[turns][pool][outs][need] = static_cast<float>(std::max(0.0, 1.0 - below));
                        if (need <= usable && need <= draws && draws - need <= pool - usable)
                            below += std::exp(log_choose(usable, need) + log_choose(pool - usable, draws - need) -
                                              log_choose(pool, draws));
                    }
                }
    }
};
const HitTable kHits;

// Unseen cards by rank and suit, and how many of them the seat will still see.
struct Odds {
    std::array<std::int8_t, kRanks> ranks;
    std::array<std::int8_t, 4> suits;
    int jokers, pool, turns;
    float contention[kMaxNeed + 1];

    Odds(CardSet unseen, int turns_left, const HeuristicWeights& weights)
        : jokers(joker_count(unseen)), pool(count(unseen)), turns(turns_left) {
        for (int rank = 0; rank < kRanks; ++rank)
            ranks[rank] = static_cast<std::int8_t>(count(unseen & rank_set(rank)));
        for (int suit = 0; suit < 4; ++suit)
            suits[suit] = static_cast<std::int8_t>(std::popcount(suit_ranks(unseen, suit)));
        contention[0] = 1.0f;
        for (int need = 1; need <= kMaxNeed; ++need) contention[need] = contention[need - 1] * weights.contention;
    }
    float hit(int need, int outs) const {
        if (need <= 0) return 1.0f;
        return kHits.chance[turns][pool][outs][need] * contention[need];
    }
};

// What a row may become: mean and variance of its strength in categories, royalties and fantasyland value.
struct Outlook {
    float strength = 0.0f, variance = 0.0f, royalty = 0.0f, fantasyland = 0.0f;
    int free = 0;
};

float strength_of(RowValue value) {
    return static_cast<float>(category_of(value)) + static_cast<float>(leading_rank(value) + 1) / 14.0f;
}

// Chances of final categories, taken from the highest down, into mean, variance and royalties.
class Mixture {
public:
    void add(float chance, float strength, float royalty, float fantasyland = 0.0f) {
        const float share = left_ * std::min(chance, 1.0f);
        left_ -= share;
        mean_ += share * strength;
        square_ += share * strength * strength;
        royalty_ += share * royalty;
        fantasyland_ += share * fantasyland;
    }
    Outlook outlook(float rest_strength, int free) {
        add(1.0f, rest_strength, 0.0f);
        return {mean_, std::max(0.0f, square_ - mean_ * mean_), royalty_, fantasyland_, free};
    }

private:
    float left_ = 1.0f, mean_ = 0.0f, square_ = 0.0f, royalty_ = 0.0f, fantasyland_ = 0.0f;
};

float rank_share(int rank) { return static_cast<float>(rank + 1) / 14.0f; }

float straight_chance(unsigned ranks, int jokers, const Odds& odds) {
    float best = 0.0f, sum = 0.0f;
    for (const unsigned window : kStraights) {
        if (ranks & ~window) continue;
        float chance = 1.0f, hardest = 1.0f;
        for (unsigned missing = window & ~ranks; missing; missing &= missing - 1) {
            const float hit = odds.hit(1, odds.ranks[std::countr_zero(missing)] + odds.jokers);
            chance *= hit;
            hardest = std::min(hardest, hit);
        }
        if (jokers == 1 && hardest > 0.0f) chance /= hardest;
        if (jokers == 2) chance = std::min(1.0f, hardest > 0.0f ? chance / (hardest * hardest) : 0.0f);
        best = std::max(best, chance);
        sum += chance;
    }
    return best + 0.3f * (sum - best) * (1.0f - best);
}

Outlook five_outlook(CardSet row, Row which, const Odds& odds, const Rules& rules, const HeuristicWeights& weights) {
    const int jokers = joker_count(row), cards = count(row), free = 5 - cards;
    if (free == 0) {
        const RowValue value = read_five(row);
        return {strength_of(value), 0.0f, static_cast<float>(rules.royalty(which, value)), 0.0f, 0};
    }
    const RankSets sets(row);
    const RowKey key = row_key(row & kNaturalSet);
    const int distinct = std::popcount(sets.once);
    const float fresh_pair = 1.0f - std::pow(1.0f - weights.new_pair, static_cast<float>(odds.turns));

    float quads = 0.0f, full_house = 0.0f, trips = 0.0f, no_trips = 1.0f, two_pair = 0.0f, no_pair = 1.0f;
    int quads_rank = 0, trips_rank = 0, pair_rank = 0;
    float best_pair = 0.0f;
    for (unsigned left = sets.once; left; left &= left - 1) {
        const int rank = std::countr_zero(left), held = sets.of(rank), outs = odds.ranks[rank] + odds.jokers;
        const auto chance = [&](int wanted) {
            const int need = std::max(0, wanted - held - jokers);
            return need > free ? 0.0f : odds.hit(need, outs);
        };
        const float four = chance(4), three = chance(3), two = chance(2);
        if (four > quads) quads = four, quads_rank = rank;
        if (three >= trips) trips = three, trips_rank = rank;
        if (two >= best_pair) best_pair = two, pair_rank = rank;
        no_trips *= 1.0f - three;
        no_pair *= 1.0f - two;
    }
    if (distinct == 1) {
        const int rank = std::countr_zero(sets.once), need = std::max(0, 3 - sets.of(rank) - jokers);
        if (need + 2 <= free) full_house = odds.hit(need, odds.ranks[rank] + odds.jokers) * fresh_pair;
        if (std::max(0, 2 - sets.of(rank) - jokers) + 2 <= free) two_pair = best_pair * fresh_pair;
    } else if (distinct == 2) {
        const int low = std::countr_zero(sets.once), high = 31 - std::countl_zero(sets.once);
        for (const auto& [three, two] : {std::pair(high, low), std::pair(low, high)}) {
            const int need_three = std::max(0, 3 - sets.of(three) - jokers);
            const int joker_left = std::max(0, jokers - std::max(0, 3 - sets.of(three)));
            const int need_two = std::max(0, 2 - sets.of(two) - joker_left);
            if (need_three + need_two <= free)
                full_house = std::max(full_house, odds.hit(need_three, odds.ranks[three] + odds.jokers) *
                                                      odds.hit(need_two, odds.ranks[two] + odds.jokers));
        }
    }
    if (distinct >= 2) {  // two of the ranks in the row paired up; jokers make better things than two pair
        float first = 0.0f, second = 0.0f;
        for (unsigned left = sets.once; left; left &= left - 1) {
            const int rank = std::countr_zero(left);
            const float two = odds.hit(std::max(0, 2 - sets.of(rank)), odds.ranks[rank] + odds.jokers);
            if (two > first)
                second = first, first = two;
            else
                second = std::max(second, two);
        }
        const int paired = std::popcount(sets.twice);
        if (2 - std::min(paired, 2) <= free) two_pair = std::max(two_pair, first * second);
    }
    float flush = 0.0f, straight = 0.0f;
    if (key.suited || distinct == 0) {
        int outs = 0;
        for (int suit = 0; suit < 4; ++suit)
            if (distinct == 0 || suit_ranks(row, suit)) outs = std::max<int>(outs, odds.suits[suit]);
        flush = odds.hit(free, std::min(kMaxOuts, outs + odds.jokers));
    }
    if (!sets.twice && distinct + jokers >= 1) straight = straight_chance(sets.once, jokers, odds);
    const int high_rank = sets.once ? 31 - std::countl_zero(sets.once) : 5;

    const Rules::ByCategory& royalties = which == kMiddle ? rules.middle : rules.bottom;
    const auto royalty = [&](int category) { return static_cast<float>(royalties[category]); };
    Mixture mixture;
    if (key.suited && straight > 0.0f && flush > 0.0f) {  // a rough chance of both at once
        const float both = flush * straight * 0.15f;
        mixture.add(both, kStraightFlush + rank_share(high_rank), royalty(kStraightFlush));
    }
    mixture.add(quads, kQuads + rank_share(quads_rank), royalty(kQuads));
    mixture.add(full_house, kFullHouse + rank_share(trips_rank), royalty(kFullHouse));
    mixture.add(flush, kFlush + rank_share(high_rank), royalty(kFlush));
    mixture.add(straight, kStraight + rank_share(high_rank), royalty(kStraight));
    mixture.add(1.0f - no_trips, kTrips + rank_share(trips_rank), royalty(kTrips));
    mixture.add(two_pair, kTwoPair + rank_share(pair_rank), royalty(kTwoPair));
    mixture.add(jokers ? 1.0f : std::max(1.0f - no_pair, free >= 2 ? fresh_pair : 0.0f),
                kPair + rank_share(jokers ? high_rank : pair_rank), royalty(kPair));
    return mixture.outlook(kHighCard + rank_share(std::max(high_rank, 9)), free);
}

Outlook top_outlook(CardSet row, const Odds& odds, const Rules& rules, const FantasylandValues& worth) {
    const int jokers = joker_count(row), cards = count(row), free = 3 - cards;
    const auto future = [&](int width) { return static_cast<float>(width_value(worth, width)); };
    if (free == 0) {
        const RowValue value = read_top(row);
        return {strength_of(value), 0.0f, static_cast<float>(rules.royalty(kTop, value)),
                future(rules.entry_width(value)), 0};
    }
    const RankSets sets(row);
    Mixture mixture;
    for (int rank = kRanks - 1; rank >= 0; --rank) {
        const int held = sets.of(rank);
        if (!held && free + jokers < 3) continue;
        const int need = std::max(0, 3 - held - jokers);
        if (need <= free && held + jokers >= 1)
            mixture.add(odds.hit(need, odds.ranks[rank] + odds.jokers), kTrips + rank_share(rank),
                        static_cast<float>(rules.top_trips[rank]), future(rules.fantasyland_trips));
    }
    for (int rank = kRanks - 1; rank >= 0; --rank) {
        const int held = sets.of(rank), need = std::max(0, 2 - held - jokers);
        if (need > free || (!held && free < 2 && !jokers)) continue;
        // A pair that is not begun yet is only worth waiting for when it is a high one.
        if (!held && !jokers && rank < 9) break;
        if (!held && jokers && rank < 9) continue;
        mixture.add(odds.hit(need, odds.ranks[rank] + odds.jokers), kPair + rank_share(rank),
                    static_cast<float>(rules.top_pairs[rank]), future(rules.fantasyland_pairs[rank]));
    }
    const int high_rank = sets.once ? 31 - std::countl_zero(sets.once) : 5;
    if (jokers) return mixture.outlook(kPair + rank_share(high_rank), free);
    return mixture.outlook(kHighCard + rank_share(high_rank), free);
}

float chance_in_order(const Outlook& upper, const Outlook& lower, const HeuristicWeights& weights) {
    const float steer = weights.steering * static_cast<float>(upper.free + lower.free);
    const float gap = lower.strength - upper.strength + steer;
    const float z = 1.7f * gap / std::sqrt(upper.variance + lower.variance + weights.spread * weights.spread);
    return 1.0f / (1.0f + std::exp(-z));
}

// Value of three rows, each for itself.
float gain_of(const Outlook& top, const Outlook& middle, const Outlook& bottom, const HeuristicWeights& weights) {
    return top.royalty + middle.royalty + bottom.royalty + weights.fantasyland * top.fantasyland +
           weights.strength * (top.strength + middle.strength + bottom.strength);
}

// Value of three outlooks; a finished board is read exactly instead.
float combine(const Outlook& top, const Outlook& middle, const Outlook& bottom, const HeuristicWeights& weights) {
    const float order = chance_in_order(top, middle, weights) * chance_in_order(middle, bottom, weights);
    return order * gain_of(top, middle, bottom, weights) - (1.0f - order) * weights.foul_cost;
}

}  // namespace

Position position_of(const InformationSet& info) { return {info.mine, info.in_hand, info.unseen, info.opening_step}; }

float Heuristic::value(const Board& board, CardSet unseen, int turns_left) const {
    if (board.complete()) {
        const BoardSummary summary = summarize(board, *rules_);
        if (summary.fouled) return -weights_.foul_cost;
        float strength = 0.0f;
        for (const RowValue row : summary.values) strength += strength_of(row);
        return static_cast<float>(summary.royalty_total) +
               static_cast<float>(width_value(outlook_, summary.entry_width)) + weights_.strength * strength;
    }
    const Odds odds(unseen, turns_left, weights_);
    return combine(top_outlook(board.rows[kTop], odds, *rules_, outlook_),
                   five_outlook(board.rows[kMiddle], kMiddle, odds, *rules_, weights_),
                   five_outlook(board.rows[kBottom], kBottom, odds, *rules_, weights_), weights_);
}

int Heuristic::evaluate(const Position& position, Choice* out, bool careless) const {
    const Board& board = position.board;
    const int held = count(position.in_hand), placed = count(board.all());
    const bool opening = position.opening_step || placed == 0;
    const int turns = turns_left(placed + (opening ? held : kTurnPlaced));
    const bool last = turns == 0;
    const CardSet to_come = careless ? rules_->deck() & ~(board.all() | position.in_hand) : position.unseen;
    const Odds odds(to_come, turns, weights_);

    // The outlook of a row depends only on which cards of the hand join it: at most 32 cases a row, made on demand.
    std::array<std::array<Outlook, 32>, kRows> outlooks;
    std::array<std::uint32_t, kRows> known{};
    const auto outlook = [&](int row, unsigned bits) -> const Outlook& {
        Outlook& slot = outlooks[row][bits];
        if (!(known[row] >> bits & 1)) {
            known[row] |= 1u << bits;
            const CardSet cards = board.rows[row] | pick_bits(position.in_hand, bits);
            slot = row == kTop ? top_outlook(cards, odds, *rules_, outlook_)
                               : five_outlook(cards, static_cast<Row>(row), odds, *rules_, weights_);
        }
        return slot;
    };
    int n = 0;
    const auto add = [&](const std::array<unsigned, kRows>& bits) {
        Choice& choice = out[n++];
        choice.placement = {};
        for (int row = 0; row < kRows; ++row) choice.placement.rows[row] = pick_bits(position.in_hand, bits[row]);
        choice.placement.discards =
            position.in_hand & ~(choice.placement.rows[0] | choice.placement.rows[1] | choice.placement.rows[2]);
        if (last && !careless) {
            Board done = board;
            for (int row = 0; row < kRows; ++row) done.rows[row] |= choice.placement.rows[row];
            choice.value = value(done, position.unseen, 0);
        } else {
            choice.value = (careless ? gain_of : combine)(outlook(kTop, bits[kTop]), outlook(kMiddle, bits[kMiddle]),
                                                          outlook(kBottom, bits[kBottom]), weights_);
        }
    };
    if (position.opening_step) {
        for (unsigned bits = 0; bits < (1u << held); ++bits)
            if (std::popcount(bits) <= kRowSize[kTop]) add({bits, ((1u << held) - 1) & ~bits, 0});
    } else if (opening) {
        for (const auto& rows : openings()) {
            std::array<unsigned, kRows> bits{};
            for (int i = 0; i < kOpeningCards; ++i) bits[rows[i]] |= 1u << i;
            add(bits);
        }
    } else {
        const LegalTurns& legal = legal_turns(board);
        for (int discard = 0; discard < kTurnCards; ++discard) {
            const auto [first, second] = kept_positions(discard);
            for (int i = 0; i < legal.pair_count; ++i) {
                std::array<unsigned, kRows> bits{};
                bits[legal.pairs[i].first] |= 1u << first;
                bits[legal.pairs[i].second] |= 1u << second;
                add(bits);
            }
        }
    }
    return n;
}

Placement Heuristic::best(const Position& position) const {
    std::array<Choice, kOpenings> choices;
    const int n = evaluate(position, choices.data());
    return std::max_element(choices.begin(), choices.begin() + n,
                            [](const Choice& a, const Choice& b) { return a.value < b.value; })
        ->placement;
}

}  // namespace ofc
