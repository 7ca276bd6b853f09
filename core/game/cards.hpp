// Cards and sets of cards. A card is 0..53: suit * 13 + rank for naturals, 52 and 53 for the two jokers.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ofc {

using Card = std::uint8_t;
using CardSet = std::uint64_t;  // bit i stands for card i

inline constexpr int kCards = 54;
inline constexpr int kNaturals = 52;
inline constexpr int kRanks = 13;
inline constexpr CardSet kNaturalSet = (CardSet{1} << kNaturals) - 1;
inline constexpr CardSet kFullDeck = (CardSet{1} << kCards) - 1;
inline constexpr CardSet kJokerSet = kFullDeck & ~kNaturalSet;
inline constexpr unsigned kSuitMask = (1u << kRanks) - 1;

constexpr CardSet bit(int card) { return CardSet{1} << card; }
constexpr int count(CardSet set) { return std::popcount(set); }
constexpr int lowest(CardSet set) { return std::countr_zero(set); }
constexpr CardSet without_lowest(CardSet set) { return set & (set - 1); }
constexpr int joker_count(CardSet set) { return static_cast<int>((set >> 52) & 1) + static_cast<int>((set >> 53) & 1); }
constexpr bool is_joker(int card) { return card >= kNaturals; }
constexpr int rank_of(int card) { return card % kRanks; }
constexpr int suit_of(int card) { return card / kRanks; }
// The ranks of one suit as a 13-bit mask, deuce lowest.
constexpr unsigned suit_ranks(CardSet set, int suit) {
    return static_cast<unsigned>(set >> (kRanks * suit)) & kSuitMask;
}

// The four natural cards of a rank.
constexpr CardSet rank_set(int rank) { return CardSet{0x8004002001} << rank; }

// Which ranks a set holds at least once, twice, three times, and all four times: 13-bit masks.
struct RankSets {
    unsigned once, twice, thrice, all;
    explicit RankSets(CardSet set) {
        const unsigned h = suit_ranks(set, 0), d = suit_ranks(set, 1), c = suit_ranks(set, 2), s = suit_ranks(set, 3);
        const unsigned hd = h & d, cs = c & s;
        once = h | d | c | s;
        twice = hd | cs | ((h | d) & (c | s));
        thrice = (hd & (c | s)) | (cs & (h | d));
        all = hd & cs;
    }
    int of(int rank) const {
        return static_cast<int>((once >> rank & 1) + (twice >> rank & 1) + (thrice >> rank & 1) + (all >> rank & 1));
    }
};

// The cards of a set in ascending order, written to `out`; returns how many.
inline int list_cards(CardSet set, Card* out) {
    int n = 0;
    for (; set; set = without_lowest(set)) out[n++] = static_cast<Card>(lowest(set));
    return n;
}

std::vector<int> to_list(CardSet set);
std::string card_name(int card);        // throws on a number outside 0..53
int parse_card(std::string_view name);  // throws on an unknown name
std::vector<int> parse_cards(std::string_view text);
std::string names(CardSet set);  // "Ah Kd X1"
// Throws when a card repeats or is outside 0..53; `what` names the group in the message.
CardSet to_set(std::span<const int> cards, std::string_view what);

}  // namespace ofc
