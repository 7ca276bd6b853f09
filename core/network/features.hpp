// The inputs of the network: where each lies, and the pieces of their list that the placement loop shares with
// list_features().
#pragma once

#include "network/afterstate.hpp"

namespace ofc {

inline constexpr int kRowFeatures =
    52 + 20 + 2 + 6 + 9 + 13 + 2 + 6;         // ranks, suits, jokers, free, category, rank, flush, straight
inline constexpr int kOrderFeatures = 2 * 6;  // top v middle, middle v bottom: lower, equal, higher; open or complete
inline constexpr int kDoneFeatures = 1 + 5 + 12;  // finished board: foul, fantasyland won, royalties in steps of two
inline constexpr int kMineAt = 0;
inline constexpr int kOpponentAt = kMineAt + 3 * kRowFeatures + kOrderFeatures + kDoneFeatures;
inline constexpr int kUnseenAt = kOpponentAt + 3 * kRowFeatures + kOrderFeatures + kDoneFeatures;
inline constexpr int kUnseenFeatures =
    13 * 5 + 4 * 14 + 3;  // how many of each rank, of each suit, of the jokers are still there
inline constexpr int kTableAt = kUnseenAt + kUnseenFeatures;
inline constexpr int kTableFeatures = 5 + 1 + 1 + 4;  // turn, button, opponent ahead, its fantasyland
inline constexpr int kOutsAt = kTableAt + kTableFeatures;
// Unseen cards that would improve a row: to pair it, from pair to trips, to quads, to a flush by cards needed, to a
// straight by cards needed; on top instead of the last two those for a pair of queens, kings or aces.
inline constexpr int kOutsFeatures = 10 + 5 + 3 + 4 * 5 + 4 * 5;
// How two neighbouring rows may come into order and stay there, by unseen cards, in ten steps of their number:
// those that lift the lower row to the upper one's best reading, to its least reading (lower row full, or with one or
// two free slots), and those that the upper row can take without passing the lower one (one or two free slots, the
// lower row open or full).
inline constexpr int kRepairFeatures = 21 + 21 + 40;
inline constexpr int kRepairsAt = kOutsAt + 6 * kOutsFeatures;  // mine: top v middle, middle v bottom; the opponent's
// What a row has made is worth: royalties of at least so many, fantasyland of each width.
inline constexpr std::array<int, 8> kRoyaltySteps{1, 3, 5, 7, 8, 9, 10, 15};
inline constexpr int kWorthFeatures = 8 + 4;
inline constexpr int kWorthAt = kRepairsAt + 4 * kRepairFeatures;  // of my rows, then the opponent's
// Each of my rows against the opponent's: lower, equal, higher; both open, mine full, the opponent's full, both full.
inline constexpr int kDuelFeatures = 3 * 4;
inline constexpr int kDuelsAt = kWorthAt + 6 * kWorthFeatures;
inline constexpr int kChipsAt = kDuelsAt + 3 * kDuelFeatures;
inline constexpr std::array<int, 8> kShortStacks{10, 20, 30, 40, 60, 80, 110, 150};  // chips below each of these
inline constexpr std::array<int, 4> kLeads{20, 40, 80, 160};                         // ahead by so much, or behind
inline constexpr int kChipFeatures =
    2 * 8 + 2 * 4;  // my stack, the opponent's, lead, arrears: none at equal full stacks
inline constexpr int kFeatures = kChipsAt + kChipFeatures;
inline constexpr int kMostActive = 256;

// The active inputs, each 1, of a state.
int list_features(const PackedState& state, const Rules& rules, std::uint16_t* out);

// The unseen cards, counted once for all rows.
struct Unseen {
    explicit Unseen(CardSet unseen);
    CardSet cards;
    std::array<std::int8_t, kRanks> left;  // of each rank
    unsigned live = 0;                     // ranks of which there are any
};

// A row so far, as its neighbours see it: with jokers it has a best and a least reading.
class RowOutlook {
public:
    RowOutlook() = default;
    RowOutlook(CardSet row, int place) { set(row, place); }
    void set(CardSet row, int place);

    // What one more unseen card makes of the row: the readings by kind of card, and how many cards of it there are.
    struct Next {
        int n = -1;
        std::array<int, 2 * kRanks + 1> most, least;
        std::array<std::int8_t, 2 * kRanks + 1> cards;
    };
    const Next& next(const Unseen& unseen) const;  // listed when first asked for

    CardSet cards = 0;
    RankSets ranks{0};
    int which = 0, free = 0;
    int most = 0, least = 0;  // comparable: category << 20 | rank << 16, of a full row its value

private:
    mutable Next next_;
};

enum Side : int { kMine, kOpponents };

// A row by itself: its cards, what it has made and may become, and what that is worth.
int list_row(const RowOutlook& row, Side side, const Unseen& unseen, const Rules& rules, std::uint16_t* out);
// Two neighbouring rows: their order, and the unseen cards that bring or keep them in order.
int list_neighbours(const RowOutlook& upper, const RowOutlook& lower, Side side, const Unseen& unseen,
                    std::uint16_t* out);
int list_done(const Board& board, Side side, const Rules& rules, std::uint16_t* out);  // nothing unless it is complete
std::array<RowOutlook, kRows> outlooks_of(const Board& board);
// All of the above.
int list_board(const Board& board, const std::array<RowOutlook, kRows>& rows, Side side, const Unseen& unseen,
               const Rules& rules, std::uint16_t* out);
// One of my rows against the opponent's.
std::uint16_t duel_feature(const RowOutlook& mine, const RowOutlook& other);
int list_table(const PackedState& state, const Unseen& unseen, std::uint16_t* out);  // unseen cards and table

}  // namespace ofc
