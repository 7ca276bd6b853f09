// Opening fives that differ by the names of suits alone, or by which joker it is, are one class.
//
// With two jokers in the deck there are 152,646. They are numbered by their ranks, highest first and a joker above all,
// and those of the same ranks by how their suits fall. How suits can fall follows from how many cards there are of each
// rank, so it is worked out once for each of those: a class is a row of ranks and a fall.
#pragma once

#include <array>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "game/cards.hpp"

namespace ofc {

inline constexpr int kFive = 5;
inline constexpr int kJokerRank = kRanks;  // above the ace

using Five = std::array<std::int8_t, kFive>;
using Suits = std::vector<std::vector<int>>;  // of each rank in turn; of a joker none

// One way in which the suits of five cards fall.
struct Fall {
    Suits suits;
    int deals = 0;                         // openings that fall like this
    std::vector<int> shape;                // cards of each suit, most first; jokers have none
    std::vector<std::vector<int>> orders;  // of the five cards, under which they are the same five again
};

// All classes of openings of a deck with so many jokers.
class OpeningClasses {
public:
    explicit OpeningClasses(int jokers);          // 0, 1 or 2; throws a sentence otherwise
    static const OpeningClasses& of(int jokers);  // made once
    OpeningClasses(const OpeningClasses&) = delete;

    int jokers() const { return jokers_; }
    int size() const { return static_cast<int>(deals_.size()); }
    const Five& ranks(int number) const;  // highest first
    const Fall& fall(int number) const;
    std::vector<int> cards(int number) const;  // that stand for a class, highest rank first
    // The class of five cards, and these in the order of the class's own.
    std::pair<int, std::vector<int>> find(std::span<const int> cards) const;

    // Of every class.
    const std::vector<std::int64_t>& deals() const { return deals_; }
    const std::vector<std::int8_t>& rank_counts() const { return rank_counts_; }  // 14 each
    const std::vector<std::int8_t>& shape_of() const { return shape_of_; }        // number among the shapes
    const std::vector<std::vector<int>>& shapes() const { return shapes_; }

private:
    int jokers_;
    std::vector<Five> patterns_;
    std::vector<const std::vector<Fall>*> falls_;          // of each pattern
    std::vector<int> firsts_;                              // number of the first class of each pattern, and the end
    std::map<Five, int> number_of_;                        // of a pattern
    std::map<std::vector<int>, std::vector<Fall>> known_;  // by how many cards there are of each rank, jokers first
    std::vector<std::int64_t> deals_;
    std::vector<std::int8_t> rank_counts_, shape_of_;
    std::vector<std::vector<int>> shapes_;

    const std::vector<Fall>& falls_of(const Five& ranks);
    std::size_t pattern_of(int number) const;
};

}  // namespace ofc
