// How a board stands while it fills: what its rows are read as so far, and whether it can still be saved.
#pragma once

#include "game/board.hpp"

namespace ofc {

enum class Danger : int { kNone, kRisk, kFoul };  // kRisk: a row stands above the one below it

struct Outlook {
    // Each row as its best reading that can still stand on the rows below; the least of its readings for a row that
    // fouls, kNoReading for an empty one. A row that is not full counts its groups alone.
    std::array<RowValue, kRows> values{};
    std::array<int, kRows> royalties{};          // of the rows as they stand, 0 on a foul
    std::array<bool, kRows - 1> stands_above{};  // top over middle, middle over bottom: the rows that make a risk
    Danger danger = Danger::kNone;               // kFoul: no cards to come can save the board
    int entry_width = 0;                         // fantasyland won if these rows were played normally
    bool stays = false;                          // fantasyland kept if they were set in it
};

// A board that holds 0 to 13 cards.
Outlook look_at(const Board& board, const Rules& rules);

}  // namespace ofc
