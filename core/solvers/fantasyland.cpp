#include "solvers/fantasyland.hpp"

#include <algorithm>
#include <stdexcept>

#include "game/poll.hpp"

namespace ofc {
namespace {

constexpr double kSame = 1e-9;  // two values closer than this are equal

// The order among equals: the stronger bottom, then middle, then top.
bool outranks(const std::array<RowValue, kRows>& values, const std::array<RowValue, kRows>& others) {
    for (int row = kBottom; row >= kTop; --row)
        if (values[row] != others[row]) return values[row] > others[row];
    return false;
}

// Expected row points against a sample of opponents, as functions of a row's value; all zero with no opponents.
class Opponents {
public:
    Opponents(std::span<const BoardSummary> boards, const Rules& rules) : boards_(boards), rules_(rules) {
        for (const BoardSummary& board : boards) {
            royalties_ += board.royalty_total;
            if (board.fouled) {
                fouled_ += 1;
                continue;
            }
            for (int row = 0; row < kRows; ++row) sorted_[row].push_back(board.values[row]);
        }
        for (auto& values : sorted_) std::sort(values.begin(), values.end());
    }

    bool any() const { return !boards_.empty(); }
    double mean(double sum) const { return sum / static_cast<double>(boards_.size()); }

    // Upper bound of the points that rows worth these values bring, royalties left out; rising in every value.
    double bound(const std::array<RowValue, kRows>& values) const {
        if (!any()) return 0.0;
        double total = fouled_ * rules_.foul_points();
        double scoops = static_cast<double>(sorted_[0].size());
        for (int row = 0; row < kRows; ++row) {
            const auto& all = sorted_[row];
            const auto [low, high] = std::equal_range(all.begin(), all.end(), values[row]);
            const auto wins = static_cast<double>(low - all.begin()), losses = static_cast<double>(all.end() - high);
            total += wins - losses;
            scoops = std::min(scoops, wins);
        }
        return mean(total + scoops * rules_.scoop - royalties_);
    }

    // The points themselves.
    double exact(const BoardSummary& mine) const {
        double total = 0.0;
        for (const BoardSummary& board : boards_) total += row_points(mine, board, rules_);
        return any() ? mean(total - royalties_) : 0.0;
    }

private:
    std::span<const BoardSummary> boards_;
    const Rules& rules_;
    std::array<std::vector<RowValue>, kRows> sorted_;
    double fouled_ = 0.0, royalties_ = 0.0;
};

// Five cards and their best value, whatever lies below.
struct Five {
    CardSet cards;
    RowValue value;
};

// Upper bounds by row value: what a middle at most this good, and a top at most this good, can bring.
class Bounds {
public:
    Bounds(CardSet cards, std::span<const Five> fives, double stay_value, const Rules& rules)
        : rules_(rules), stay_value_(stay_value) {
        std::array<bool, kCategories + 1> exists{};
        for (const Five& five : fives) {
            const int category = five.value == kRoyalFlush ? kCategories : category_of(five.value);
            if (five.cards & kJokerSet)
                std::fill(exists.begin(), exists.begin() + category + 1, true);
            else
                exists[category] = true;
        }
        double best = 0.0;
        for (int category = 0; category <= kCategories; ++category) {
            const double stay = static_cast<int>(rules.stay_middle) <= category ? std::max(stay_value, 0.0) : 0.0;
            if (exists[category]) best = std::max(best, rules.middle[category] + stay);
            middle_[category] = best;
        }
        const Tops tops = top_bounds(cards);
        pairs_ = tops.pairs;
        trips_ = tops.trips;
    }

    double middle(RowValue limit) const { return middle_[limit == kRoyalFlush ? kCategories : category_of(limit)]; }

    // Best royalty and stay of any top made of the cards at or below `limit`.
    double top(RowValue limit) const { return top({pairs_, trips_}, limit); }
    double top_of(CardSet cards, RowValue limit) const { return top(top_bounds(cards), limit); }

private:
    // Best pair and best trips of each rank or lower, royalties with the stay; negative where there is none.
    struct Tops {
        std::array<double, kRanks> pairs, trips;
    };
    double stay_on_top(int category) const {
        return category >= static_cast<int>(rules_.stay_top) ? std::max(stay_value_, 0.0) : 0.0;
    }

    Tops top_bounds(CardSet cards) const {
        const int jokers = joker_count(cards);
        const RankSets ranks(cards);
        const unsigned pairs = jokers == 2 ? kSuitMask : jokers == 1 ? ranks.once : ranks.twice;
        const unsigned trips = jokers == 2 ? ranks.once : jokers == 1 ? ranks.twice : ranks.thrice;
        Tops tops;
        double best_pair = stay_on_top(kHighCard), best_trips = -1.0;
        for (int rank = 0; rank < kRanks; ++rank) {
            if (pairs >> rank & 1) best_pair = std::max(best_pair, rules_.top_pairs[rank] + stay_on_top(kPair));
            if (trips >> rank & 1) best_trips = std::max(best_trips, rules_.top_trips[rank] + stay_on_top(kTrips));
            tops.pairs[rank] = best_pair;
            tops.trips[rank] = best_trips;
        }
        return tops;
    }

    double top(const Tops& tops, RowValue limit) const {
        const int category = category_of(limit);
        if (category == kHighCard) return stay_on_top(kHighCard);
        if (category == kPair) return tops.pairs[leading_rank(limit)];
        if (category == kTwoPair) return tops.pairs[kRanks - 1];
        return std::max(tops.pairs[kRanks - 1], tops.trips[category == kTrips ? leading_rank(limit) : kRanks - 1]);
    }

    const Rules& rules_;
    double stay_value_;
    std::array<double, kCategories + 1> middle_{};
    std::array<double, kRanks> pairs_{}, trips_{};
};

class Solver {
public:
    Solver(CardSet cards, double stay_value, const Rules& rules, std::span<const BoardSummary> opponents)
        : cards_(cards),
          stay_value_(stay_value),
          rules_(rules),
          opponents_(opponents, rules),
          both_jokers_((cards & kJokerSet) == kJokerSet),
          bounds_(cards, list_fives(), stay_value, rules) {}

    FantasylandSolution solve() {
        struct Start {
            double bound;
            const Five* five;
        };
        std::vector<Start> starts;
        starts.reserve(fives_.size());
        for (const Five& five : fives_) {
            if (lone_second_joker(five.cards)) continue;
            const RowValue value = five.value;
            const double bound = bottom_worth(value) + bounds_.middle(value) + bounds_.top(value) +
                                 opponents_.bound({value, value, value});
            starts.push_back({bound, &five});
        }
        std::sort(starts.begin(), starts.end(), [](const Start& a, const Start& b) {
            return a.bound != b.bound ? a.bound > b.bound : a.five->value > b.five->value;
        });
        for (const Start& start : starts) {
            if (start.bound < best_.value - kSame) break;
            if (start.bound < best_.value + kSame && start.five->value < best_.summary.values[kBottom]) continue;
            try_middles(*start.five);
        }
        return best_;
    }

private:
    // Every five cards with their value, highest first, those with jokers apart. Runs before `bounds_` is made.
    std::span<const Five> list_fives() {
        Card card[kLargestFantasyland];
        const int n = list_cards(cards_, card);
        fives_.reserve(6188);
        for (int a = 0; a < n; ++a)
            for (int b = a + 1; b < n; ++b)
                for (int c = b + 1; c < n; ++c) {
                    const CardSet abc = bit(card[a]) | bit(card[b]) | bit(card[c]);
                    for (int d = c + 1; d < n; ++d)
                        for (int e = d + 1; e < n; ++e) {
                            const CardSet five = abc | bit(card[d]) | bit(card[e]);
                            fives_.push_back({five, read_five(five)});
                        }
                }
        const auto split =
            std::partition(fives_.begin(), fives_.end(), [](const Five& five) { return !(five.cards & kJokerSet); });
        naturals_ = split - fives_.begin();
        const auto higher = [](const Five& a, const Five& b) { return a.value > b.value; };
        std::sort(fives_.begin(), split, higher);
        std::sort(split, fives_.end(), higher);
        return fives_;
    }

    // The two jokers are alike: where a row takes one alone, it takes the first.
    bool lone_second_joker(CardSet row) const { return both_jokers_ && (row & kJokerSet) == bit(53); }

    double bottom_worth(RowValue value) const {
        return rules_.royalty(kBottom, value) + (rules_.row_stays(kBottom, value) ? stay_value_ : 0.0);
    }
    double middle_worth(RowValue value) const {  // a stay that costs something may have been paid by the bottom
        return rules_.royalty(kMiddle, value) + (rules_.row_stays(kMiddle, value) ? std::max(stay_value_, 0.0) : 0.0);
    }

    // Whether a setting with that bound, bottom and middle can still beat or outrank the best so far.
    bool hopeless(double bound, RowValue bottom, RowValue middle) const {
        if (bound < best_.value - kSame) return true;
        if (bound >= best_.value + kSame) return false;
        const auto& values = best_.summary.values;
        return bottom != values[kBottom] ? bottom < values[kBottom] : middle < values[kMiddle];
    }

    double middle_bound(double worth, RowValue bottom, RowValue middle) const {
        double bound = worth + middle_worth(middle) + bounds_.top(middle);
        if (opponents_.any()) bound += opponents_.bound({middle, middle, bottom});
        return bound;
    }

    void try_middles(const Five& bottom) {
        const double worth = bottom_worth(bottom.value);
        // In a row of fives that fall in value, one whose own bound is hopeless does not end the search (a table of
        // royalties need not rise), but a bound on all at or below its value does.
        const auto all_hopeless = [&](RowValue value) {
            double bound = worth + bounds_.middle(value) + bounds_.top(value);
            if (opponents_.any()) bound += opponents_.bound({value, value, bottom.value});
            return hopeless(bound, bottom.value, value);
        };
        const auto split = fives_.begin() + naturals_;
        auto five = std::lower_bound(fives_.begin(), split, bottom.value,
                                     [](const Five& f, RowValue v) { return f.value > v; });
        RowValue checked = kNoLimit;
        for (; five != split; ++five) {
            if (five->value != checked) {
                checked = five->value;
                if (all_hopeless(checked)) break;
            }
            if (five->cards & bottom.cards) continue;
            if (!hopeless(middle_bound(worth, bottom.value, checked), bottom.value, checked))
                try_tops(bottom, *five, five->value);
        }
        checked = kNoLimit;
        for (five = split; five != fives_.end(); ++five) {
            const RowValue limit = std::min(five->value, bottom.value);
            if (limit != checked) {
                checked = limit;
                if (all_hopeless(checked)) break;
            }
            if (five->cards & bottom.cards) continue;
            if (!(bottom.cards & kJokerSet) && lone_second_joker(five->cards)) continue;
            const RowValue value =
                five->value <= bottom.value ? five->value : best_joker_reading(five->cards, bottom.value);
            if (value != kNoReading && !hopeless(middle_bound(worth, bottom.value, value), bottom.value, value))
                try_tops(bottom, *five, value);
        }
    }

    void try_tops(const Five& bottom, const Five& middle, RowValue middle_value) {
        const CardSet rest = cards_ & ~(bottom.cards | middle.cards);
        const double worth = bottom_worth(bottom.value) + middle_worth(middle_value);
        double bound = worth + bounds_.top_of(rest, middle_value);
        if (opponents_.any()) bound += opponents_.bound({middle_value, middle_value, bottom.value});
        if (hopeless(bound, bottom.value, middle_value)) return;
        Card card[8];
        const int n = list_cards(rest, card);
        for (int a = 0; a < n; ++a)
            for (int b = a + 1; b < n; ++b)
                for (int c = b + 1; c < n; ++c) {
                    const CardSet top = bit(card[a]) | bit(card[b]) | bit(card[c]);
                    const RowValue value = read_top(top, middle_value);
                    if (value != kNoReading) consider(bottom, middle, top, {value, middle_value, bottom.value});
                }
    }

    void consider(const Five& bottom, const Five& middle, CardSet top, const std::array<RowValue, kRows>& values) {
        int royalties = 0;
        for (int row = 0; row < kRows; ++row) royalties += rules_.royalty(static_cast<Row>(row), values[row]);
        const bool stays = rules_.stays(values);
        double value = royalties + (stays ? stay_value_ : 0.0);
        if (opponents_.any()) {
            if (value + opponents_.bound(values) < best_.value - kSame) return;
            BoardSummary summary;
            summary.values = values;
            value += opponents_.exact(summary);
        }
        if (value < best_.value - kSame) return;
        if (value < best_.value + kSame && !outranks(values, best_.summary.values)) return;
        best_.value = value;
        best_.placement = {{top, middle.cards, bottom.cards}, cards_ & ~(top | middle.cards | bottom.cards)};
        best_.summary = {};
        best_.summary.values = values;
    }

    const CardSet cards_;
    const double stay_value_;
    const Rules& rules_;
    const Opponents opponents_;
    const bool both_jokers_;
    std::vector<Five> fives_;
    std::ptrdiff_t naturals_ = 0;  // fives without a joker come first
    const Bounds bounds_;
    FantasylandSolution best_{.placement = {}, .summary = {}, .value = -1e300};
};

}  // namespace

void verify_fantasyland_cards(CardSet cards) {
    const int n = count(cards);
    if (n < kSmallestFantasyland || n > kLargestFantasyland)
        throw std::invalid_argument("a fantasyland hand has 14 to 17 cards, not " + std::to_string(n));
}

FantasylandSolution solve_fantasyland(CardSet cards, double stay_value, const Rules& rules,
                                      std::span<const BoardSummary> opponents) {
    verify_fantasyland_cards(cards);
    FantasylandSolution solution = Solver(cards, stay_value, rules, opponents).solve();
    solution.summary = summarize(solution.board(), rules);
    return solution;
}

FantasylandSolution brute_force_fantasyland(CardSet cards, double stay_value, const Rules& rules,
                                            std::span<const BoardSummary> opponents) {
    verify_fantasyland_cards(cards);
    const auto subsets = [](CardSet from, int size, auto&& visit) {  // Gosper's order over positions
        Card card[kLargestFantasyland];
        const int n = list_cards(from, card);
        for (unsigned bits = (1u << size) - 1; bits < (1u << n);) {
            visit(pick_bits(from, bits));
            const unsigned low = bits & (~bits + 1), ripple = bits + low;
            bits = ripple | (((bits ^ ripple) >> 2) / low);
        }
    };
    FantasylandSolution best;
    best.value = -1e300;
    subsets(cards, 5, [&](CardSet bottom) {
        poll();
        const RowValue bottom_value = read_five(bottom);
        subsets(cards & ~bottom, 5, [&](CardSet middle) {
            const RowValue middle_value = read_five(middle, bottom_value);
            if (middle_value == kNoReading) return;
            subsets(cards & ~bottom & ~middle, 3, [&](CardSet top) {
                const RowValue top_value = read_top(top, middle_value);
                if (top_value == kNoReading) return;
                const Board board{{top, middle, bottom}};
                const std::array<RowValue, kRows> values{top_value, middle_value, bottom_value};
                double value = rules.royalty(kTop, top_value) + rules.royalty(kMiddle, middle_value) +
                               rules.royalty(kBottom, bottom_value);
                if (rules.stays(values)) value += stay_value;
                if (!opponents.empty()) {
                    double total = 0.0;
                    BoardSummary mine;
                    mine.values = values;
                    for (const BoardSummary& other : opponents)
                        total += row_points(mine, other, rules) - other.royalty_total;
                    value += total / static_cast<double>(opponents.size());
                }
                if (value > best.value + kSame ||
                    (value > best.value - kSame && outranks(values, best.summary.values))) {
                    best.value = value;
                    best.placement = {board.rows, cards & ~board.all()};
                    best.summary.values = values;
                }
            });
        });
    });
    best.summary = summarize(best.board(), rules);
    return best;
}

}  // namespace ofc
