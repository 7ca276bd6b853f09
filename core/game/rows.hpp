// The value of a row of three or five cards, with jokers.
//
// A value is one integer, so that any two rows compare with <: category << 20, then up to five ranks of four
// bits each (deuce 1 .. ace 13), grouped ranks once and first, kickers after, zero where a row has no more cards.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "game/cards.hpp"

namespace ofc {

using RowValue = std::uint32_t;
inline constexpr RowValue kNoReading = 0;  // no reading at or below the limit
inline constexpr RowValue kNoLimit = ~RowValue{0};

inline constexpr int kHighCard = 0, kPair = 1, kTwoPair = 2, kTrips = 3, kStraight = 4, kFlush = 5, kFullHouse = 6,
                     kQuads = 7, kStraightFlush = 8;
inline constexpr int kCategories = 9;
inline constexpr RowValue kRoyalFlush = (RowValue{kStraightFlush} << 20) | (RowValue{13} << 16);

// The ranks of the ten straights: A2345, 23456 and so on to TJQKA. The highest rank of number i is i + kLowestStraight.
inline constexpr int kLowestStraight = 3;
inline constexpr std::array<unsigned, kRanks - kLowestStraight> kStraights{
    0x100F, 0x1F, 0x1F << 1, 0x1F << 2, 0x1F << 3, 0x1F << 4, 0x1F << 5, 0x1F << 6, 0x1F << 7, 0x1F << 8};

// +1, 0 or -1: how a row stands against another by their values.
template <class Value>
constexpr int compare(Value a, Value b) {
    return (a > b) - (a < b);
}

constexpr int category_of(RowValue value) { return static_cast<int>(value >> 20); }
// Rank (0 deuce .. 12 ace) of the first, deciding group.
constexpr int leading_rank(RowValue value) { return static_cast<int>((value >> 16) & 15) - 1; }

// All lookup tables of the evaluator, built once at start-up.
struct RowTables {
    RowTables();

    // Sum of the rank weights of a 13-bit set of ranks. Sums of up to five ranks name the multiset.
    std::array<std::uint32_t, 1 << kRanks> weight;
    std::array<RowValue, 1 << kRanks> flush;  // five ranks of one suit: flush or straight flush
    std::vector<RowValue> five;               // by weight sum, five naturals not all of one suit
    std::vector<RowValue> three;              // by weight sum, three naturals on top

    // Rows with jokers: each has a sorted list of the distinct values of all its readings.
    struct List {
        std::uint32_t begin, end;
    };
    std::vector<RowValue> readings;
    std::vector<List> lists;
    std::array<std::vector<std::uint16_t>, 5> mixed;               // [naturals][weight sum]: list of a five-card row
    std::array<std::array<std::uint16_t, 1 << kRanks>, 5> suited;  // [naturals][ranks]: the same, naturals of one suit
    std::array<std::vector<std::uint16_t>, 3> top;                 // [naturals][weight sum]: list of a three-card row

    std::size_t bytes() const;

private:
    void add_list(std::uint16_t& slot, std::vector<RowValue>& values);
    void add_five_with_jokers(int naturals);
    void add_top_with_jokers(int naturals);
};

extern const RowTables kTables;

struct RowKey {
    std::uint32_t weight;
    unsigned ranks;
    bool suited;
};

inline RowKey row_key(CardSet row) {
    const unsigned h = suit_ranks(row, 0), d = suit_ranks(row, 1), c = suit_ranks(row, 2), s = suit_ranks(row, 3);
    const unsigned ranks = h | d | c | s;
    return {kTables.weight[h] + kTables.weight[d] + kTables.weight[c] + kTables.weight[s], ranks,
            (h != 0) + (d != 0) + (c != 0) + (s != 0) == 1};
}

// Every distinct value a row with one or two jokers can be read as, ascending.
std::span<const RowValue> joker_readings(CardSet row);
// The same for a row of one to four cards that is not full, by its groups alone: pairs, trips, quads, high cards.
std::vector<RowValue> group_readings(CardSet row);
// The best of the readings of a row with jokers at or below `limit`.
RowValue best_joker_reading(CardSet row, RowValue limit);

// Best reading of a complete five-card row at or below `limit`, or kNoReading.
inline RowValue read_five(CardSet row, RowValue limit = kNoLimit) {
    if (row & kJokerSet) return best_joker_reading(row, limit);
    const RowKey key = row_key(row);
    const RowValue value = key.suited ? kTables.flush[key.ranks] : kTables.five[key.weight];
    return value <= limit ? value : kNoReading;
}

// Best reading of a complete three-card row at or below `limit`, or kNoReading.
inline RowValue read_top(CardSet row, RowValue limit = kNoLimit) {
    if (row & kJokerSet) return best_joker_reading(row, limit);
    const RowValue value = kTables.three[row_key(row).weight];
    return value <= limit ? value : kNoReading;
}

// "full house, kings over deuces"
std::string value_name(RowValue value);

}  // namespace ofc
