// The pieces of the feature list that the network's placement loop shares with list_features().
#pragma once

#include "network.hpp"

namespace ofc {

int row_made(CardSet row,
             int which);  // comparable strength of a row so far: category << 20 | rank << 16 (complete: its value)
int list_row(CardSet row, int which, int at, std::uint16_t* out);

// The unseen cards, counted once for all rows.
struct Unseen {
    explicit Unseen(CardSet unseen);
    CardSet cards;
    std::array<std::int8_t, kRanks> left;  // of each rank
    unsigned live = 0;                     // ranks of which there are any
};
int list_outs(CardSet row, int which, const Unseen& unseen, int at, std::uint16_t* out);
int list_order(const std::array<int, kRows>& made, const std::array<bool, kRows>& full, int at, std::uint16_t* out);
int list_done(const Board& board, const Rules& rules, int at, std::uint16_t* out);
int list_board(const Board& board, const Rules& rules, int at, std::uint16_t* out);
int list_table(const PackedState& state, const Unseen& unseen, std::uint16_t* out);  // unseen cards and table

}  // namespace ofc
