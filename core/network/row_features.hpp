// The pieces of the feature list that the network's placement loop shares with list_features().
#pragma once

#include "network/network.hpp"

namespace ofc {

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
