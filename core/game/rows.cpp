#include "game/rows.hpp"

#include <algorithm>
#include <stdexcept>

namespace ofc {
namespace {

// The smallest weights (found greedily) whose sums over any multiset of up to five ranks, none more than four
// times, are all different; the constructor below checks it.
constexpr std::array<std::uint32_t, kRanks> kRankWeight{0,    1,    5,     22,    94,    312,  992,
                                                        2422, 5624, 12522, 19998, 43258, 79415};
constexpr std::uint16_t kNoList = 0xFFFF;

using Counts = std::array<int, kRanks>;

constexpr RowValue pack(int category, std::initializer_list<int> ranks) {
    RowValue value = static_cast<RowValue>(category);
    for (int i = 0; i < 5; ++i)
        value = (value << 4) | (i < static_cast<int>(ranks.size()) ? static_cast<RowValue>(ranks.begin()[i] + 1) : 0);
    return value;
}

// Top rank of the straight made by five different ranks, or -1.
int straight_top(unsigned ranks) {
    const auto found = std::find(kStraights.begin(), kStraights.end(), ranks);
    return found == kStraights.end() ? -1 : kLowestStraight + static_cast<int>(found - kStraights.begin());
}

RowValue pack_high_cards(int category, unsigned ranks) {
    RowValue value = static_cast<RowValue>(category);
    int written = 0;
    for (int rank = kRanks - 1; rank >= 0; --rank)
        if (ranks & (1u << rank)) {
            value = (value << 4) | static_cast<RowValue>(rank + 1);
            ++written;
        }
    return value << (4 * (5 - written));
}

// Value of a complete natural row (3 or 5 cards) that is not a flush.
RowValue value_of_counts(const Counts& counts) {
    std::array<int, 5> order{};  // ranks, larger groups first, then higher ranks
    int groups = 0, cards = 0;
    unsigned ranks = 0;
    for (int size = 4; size >= 1; --size)
        for (int rank = kRanks - 1; rank >= 0; --rank)
            if (counts[rank] == size) {
                order[groups++] = rank;
                cards += size;
                ranks |= 1u << rank;
            }
    const int first = counts[order[0]], second = groups > 1 ? counts[order[1]] : 0;
    int category = kHighCard;
    if (first == 4)
        category = kQuads;
    else if (first == 3)
        category = second == 2 ? kFullHouse : kTrips;
    else if (first == 2)
        category = second == 2 ? kTwoPair : kPair;
    else if (cards == 5 && straight_top(ranks) >= 0)
        return pack(kStraight, {straight_top(ranks)});
    RowValue value = static_cast<RowValue>(category);
    for (int i = 0; i < 5; ++i) value = (value << 4) | (i < groups ? static_cast<RowValue>(order[i] + 1) : 0);
    return value;
}

RowValue value_of_flush(unsigned ranks) {
    const int top = straight_top(ranks);
    return top >= 0 ? pack(kStraightFlush, {top}) : pack_high_cards(kFlush, ranks);
}

// Calls `visit(counts)` for every multiset of `size` ranks with none more than four times.
template <class Visit>
void for_each_multiset(int size, Counts& counts, int from, Visit&& visit) {
    if (size == 0) {
        visit(counts);
        return;
    }
    for (int rank = from; rank < kRanks; ++rank) {
        if (counts[rank] == 4) continue;
        ++counts[rank];
        for_each_multiset(size - 1, counts, rank, visit);
        --counts[rank];
    }
}

template <class Visit>
void for_each_multiset(int size, Visit&& visit) {
    Counts counts{};
    for_each_multiset(size, counts, 0, visit);
}

std::uint32_t weight_of(const Counts& counts) {
    std::uint32_t sum = 0;
    for (int rank = 0; rank < kRanks; ++rank) sum += static_cast<std::uint32_t>(counts[rank]) * kRankWeight[rank];
    return sum;
}

constexpr std::uint32_t table_size(int cards) {  // one more than the greatest weight sum of that many ranks
    return 1 + static_cast<std::uint32_t>(std::min(cards, 4)) * kRankWeight[12] + (cards > 4 ? kRankWeight[11] : 0);
}

}  // namespace

RowTables::RowTables() {
    for (unsigned ranks = 0; ranks < weight.size(); ++ranks) {
        weight[ranks] = 0;
        for (int rank = 0; rank < kRanks; ++rank)
            if (ranks & (1u << rank)) weight[ranks] += kRankWeight[rank];
        flush[ranks] = std::popcount(ranks) == 5 ? value_of_flush(ranks) : kNoReading;
    }
    five.assign(table_size(5), kNoReading);
    three.assign(table_size(3), kNoReading);
    const auto fill = [](std::vector<RowValue>& table, const Counts& counts) {
        RowValue& slot = table[weight_of(counts)];
        if (slot != kNoReading) throw std::logic_error("two rank multisets share a weight sum");
        slot = value_of_counts(counts);
    };
    for_each_multiset(5, [&](const Counts& counts) { fill(five, counts); });
    for_each_multiset(3, [&](const Counts& counts) { fill(three, counts); });
    for (auto& table : suited) table.fill(kNoList);
    for (int naturals : {3, 4}) add_five_with_jokers(naturals);
    for (int naturals : {1, 2}) add_top_with_jokers(naturals);
}

void RowTables::add_list(std::uint16_t& slot, std::vector<RowValue>& values) {
    if (slot != kNoList) throw std::logic_error("two rank multisets share a weight sum");
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    slot = static_cast<std::uint16_t>(lists.size());
    const auto begin = static_cast<std::uint32_t>(readings.size());
    readings.insert(readings.end(), values.begin(), values.end());
    lists.push_back({begin, static_cast<std::uint32_t>(readings.size())});
    values.clear();
}

void RowTables::add_five_with_jokers(int naturals) {
    const int jokers = 5 - naturals;
    std::vector<RowValue> values;
    mixed[naturals].assign(table_size(naturals), kNoList);
    for_each_multiset(naturals, [&](const Counts& held) {
        // Any rank with fewer than four cards in the row can be added; the suits can always be chosen off-suit.
        const auto add_ranks = [&] {
            for_each_multiset(jokers, [&](const Counts& added) {
                Counts all = held;
                for (int rank = 0; rank < kRanks; ++rank) all[rank] += added[rank];
                if (std::all_of(all.begin(), all.end(), [](int n) { return n <= 4; }))
                    values.push_back(value_of_counts(all));
            });
        };
        add_ranks();
        add_list(mixed[naturals][weight_of(held)], values);
        if (std::any_of(held.begin(), held.end(), [](int n) { return n > 1; })) return;
        unsigned ranks = 0;
        for (int rank = 0; rank < kRanks; ++rank) ranks |= static_cast<unsigned>(held[rank]) << rank;
        add_ranks();  // naturals of one suit: the off-suit readings, and every other rank of that suit
        for_each_multiset(jokers, [&](const Counts& added) {
            unsigned all = ranks;
            for (int rank = 0; rank < kRanks; ++rank) all |= static_cast<unsigned>(added[rank] > 0) << rank;
            if (std::popcount(all) == 5) values.push_back(value_of_flush(all));
        });
        add_list(suited[naturals][ranks], values);
    });
}

void RowTables::add_top_with_jokers(int naturals) {
    std::vector<RowValue> values;
    top[naturals].assign(table_size(naturals), kNoList);
    for_each_multiset(naturals, [&](const Counts& held) {
        for_each_multiset(3 - naturals, [&](const Counts& added) {
            Counts all = held;
            for (int rank = 0; rank < kRanks; ++rank) all[rank] += added[rank];
            values.push_back(value_of_counts(all));
        });
        add_list(top[naturals][weight_of(held)], values);
    });
}

std::size_t RowTables::bytes() const {
    std::size_t total = sizeof(*this) + readings.size() * sizeof(RowValue) + lists.size() * sizeof(List);
    total += (five.size() + three.size()) * sizeof(RowValue);
    for (const auto& table : mixed) total += table.size() * sizeof(std::uint16_t);
    for (const auto& table : top) total += table.size() * sizeof(std::uint16_t);
    return total;
}

const RowTables kTables;

std::span<const RowValue> joker_readings(CardSet row) {
    const RowKey key = row_key(row & kNaturalSet);
    const int naturals = count(row & kNaturalSet);
    std::uint16_t list;
    if (count(row) == 3)
        list = kTables.top[naturals][key.weight];
    else
        list = key.suited ? kTables.suited[naturals][key.ranks] : kTables.mixed[naturals][key.weight];
    const auto [begin, end] = kTables.lists[list];
    return {kTables.readings.data() + begin, kTables.readings.data() + end};
}

std::vector<RowValue> group_readings(CardSet row) {
    const RankSets held(row & kNaturalSet);
    std::vector<RowValue> values;
    for_each_multiset(joker_count(row), [&](const Counts& jokers) {
        Counts all = jokers;
        for (int rank = 0; rank < kRanks; ++rank) all[rank] += held.of(rank);
        values.push_back(value_of_counts(all));
    });
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
}

RowValue best_joker_reading(CardSet row, RowValue limit) {
    const auto values = joker_readings(row);
    if (values.back() <= limit) return values.back();
    const auto above = std::upper_bound(values.begin(), values.end(), limit);
    return above == values.begin() ? kNoReading : *(above - 1);
}

namespace {
constexpr std::array<const char*, kRanks> kSingular{"deuce", "three", "four", "five",  "six",  "seven", "eight",
                                                    "nine",  "ten",   "jack", "queen", "king", "ace"};
constexpr std::array<const char*, kRanks> kPlural{"deuces", "threes", "fours", "fives",  "sixes", "sevens", "eights",
                                                  "nines",  "tens",   "jacks", "queens", "kings", "aces"};
}  // namespace

std::string value_name(RowValue value) {
    const auto rank = [&](int i) { return static_cast<int>((value >> (16 - 4 * i)) & 15) - 1; };
    if (category_of(value) >= kCategories || rank(0) < 0 || rank(0) >= kRanks)
        throw std::invalid_argument("not a row value: " + std::to_string(value));
    const std::string one = kSingular[rank(0)], many = kPlural[rank(0)];
    switch (category_of(value)) {
        case kHighCard:
            return one + " high";
        case kPair:
            return "pair of " + many;
        case kTwoPair:
            return "two pair, " + many + " and " + kPlural[rank(1)];
        case kTrips:
            return "three " + many;
        case kStraight:
            return "straight, " + one + " high";
        case kFlush:
            return "flush, " + one + " high";
        case kFullHouse:
            return "full house, " + many + " over " + kPlural[rank(1)];
        case kQuads:
            return "four " + many;
        default:
            return value == kRoyalFlush ? "royal flush" : "straight flush, " + one + " high";
    }
}

}  // namespace ofc
