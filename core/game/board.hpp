// A board of three rows, its bottom-up reading, and the score of two boards against each other.
#pragma once

#include <algorithm>
#include <optional>

#include "game/rules.hpp"

namespace ofc {

struct Board {
    std::array<CardSet, kRows> rows{};

    CardSet all() const { return rows[0] | rows[1] | rows[2]; }
    int free_slots(int row) const { return kRowSize[row] - count(rows[row]); }
    bool complete() const { return count(all()) == kBoardCards; }
    bool operator==(const Board&) const = default;

    void verify() const;                  // throws on a row with too many cards or a card in two rows
    void verify_complete() const;         // throws on a free slot
    std::string row_text(int row) const;  // "Kd Kh -- -- --"
    std::string text() const;             // the three rows, top first, with " / " between
};

// Each row as its best value that does not exceed the row below; kNoReading from the row on that fouls.
struct Reading {
    std::array<RowValue, kRows> values{};
    bool fouled() const { return values[kTop] == kNoReading; }
};

// Reads a complete board.
inline Reading read_board(const Board& board) {
    Reading reading;
    reading.values[kBottom] = read_five(board.rows[kBottom]);
    reading.values[kMiddle] = read_five(board.rows[kMiddle], reading.values[kBottom]);
    if (reading.values[kMiddle] != kNoReading)
        reading.values[kTop] = read_top(board.rows[kTop], reading.values[kMiddle]);
    return reading;
}

// What a complete board is worth by itself: all that scoring needs.
struct BoardSummary {
    std::array<RowValue, kRows> values{};
    std::array<int, kRows> royalties{};
    int royalty_total = 0;
    bool fouled = false;
    int entry_width = 0;  // fantasyland won if the board was played normally
    bool stays = false;   // fantasyland kept if the board was set in it

    // Cards in the next hand, given those of this one (0: played normally).
    int next_width(int width, const Rules& rules) const {
        return width ? (stays ? rules.stay_width(width) : 0) : entry_width;
    }
};

BoardSummary summarize(const Board& board, const Rules& rules);

// The rows of one board against another's: +1, 0 or -1 each. A board that fouls loses all to one that does not.
struct Lines {
    std::array<int, kRows> rows;
    Lines(const BoardSummary& a, const BoardSummary& b) {
        const int fouls = static_cast<int>(b.fouled) - static_cast<int>(a.fouled);
        for (int row = 0; row < kRows; ++row)
            rows[row] = (a.fouled | b.fouled) ? fouls : compare(a.values[row], b.values[row]);
    }
    int total() const { return rows[kTop] + rows[kMiddle] + rows[kBottom]; }
    int scoop() const { return total() / kRows; }  // +1 or -1 where one board wins all three
};

// Row points and scoop of one board against another, or what a foul costs, without royalties.
inline int row_points(const BoardSummary& a, const BoardSummary& b, const Rules& rules) {
    const Lines lines(a, b);
    if (a.fouled != b.fouled) return lines.scoop() * rules.foul_points();
    return lines.total() + lines.scoop() * rules.scoop;
}

// Points of a against b; b's are the negative.
inline int points(const BoardSummary& a, const BoardSummary& b, const Rules& rules) {
    return row_points(a, b, rules) + a.royalty_total - b.royalty_total;
}

// The points that the stacks of both sides can pay, a's first.
inline int chips_moved(int points, const std::array<int, 2>& chips) { return std::clamp(points, -chips[0], chips[1]); }

// The outcome of a hand; pairs are by seat.
struct HandResult {
    std::array<Board, 2> boards;
    std::array<BoardSummary, 2> summaries;
    std::array<int, kRows> lines{};    // +1, 0 or -1 from seat 0's side
    std::optional<int> scoop;          // the seat that won all three rows
    int points = 0;                    // seat 0's points
    int chips_moved = 0;               // the same, capped by what the loser has
    std::array<int, 2> chips{};        // after the hand
    std::array<int, 2> fantasyland{};  // this hand's widths, 0 for normal play
    std::array<int, 2> next_width{};   // the next hand's

    bool entered(int seat) const { return !fantasyland[seat] && next_width[seat]; }
    bool stayed(int seat) const { return fantasyland[seat] && next_width[seat]; }
    bool operator==(const HandResult& other) const {
        return boards == other.boards && chips == other.chips && fantasyland == other.fantasyland &&
               points == other.points && chips_moved == other.chips_moved && next_width == other.next_width;
    }
};

HandResult score_boards(const std::array<Board, 2>& boards, const std::array<int, 2>& chips,
                        const std::array<int, 2>& fantasyland, const Rules& rules);

}  // namespace ofc
