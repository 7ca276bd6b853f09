#include "game/board.hpp"

#include <stdexcept>

namespace ofc {

void Board::verify() const {
    for (int row = 0; row < kRows; ++row) {
        if (count(rows[row]) > kRowSize[row])
            throw std::invalid_argument(std::string("the ") + kRowNames[row] + " row holds " +
                                        std::to_string(kRowSize[row]) + " cards, not the " +
                                        std::to_string(count(rows[row])) + " of " + names(rows[row]));
        for (int other = 0; other < row; ++other)
            if (const CardSet shared = rows[row] & rows[other])
                throw std::invalid_argument("card " + card_name(lowest(shared)) + " is both in the " +
                                            kRowNames[other] + " and in the " + kRowNames[row] + " row");
    }
}

void Board::verify_complete() const {
    for (int row = 0; row < kRows; ++row)
        if (free_slots(row))
            throw std::invalid_argument(std::string("the board is not complete: the ") + kRowNames[row] + " row has " +
                                        std::to_string(count(rows[row])) + " of " + std::to_string(kRowSize[row]) +
                                        " cards");
}

std::string Board::row_text(int row) const {
    std::string text = names(rows[row]);
    for (int slot = free_slots(row); slot > 0; --slot) text += text.empty() ? "--" : " --";
    return text;
}

std::string Board::text() const { return row_text(kTop) + " / " + row_text(kMiddle) + " / " + row_text(kBottom); }

BoardSummary summarize(const Board& board, const Rules& rules) {
    BoardSummary summary;
    const Reading reading = read_board(board);
    summary.values = reading.values;
    summary.fouled = reading.fouled();
    if (summary.fouled) return summary;
    for (int row = 0; row < kRows; ++row) {
        summary.royalties[row] = rules.royalty(static_cast<Row>(row), reading.values[row]);
        summary.royalty_total += summary.royalties[row];
    }
    summary.entry_width = rules.entry_width(reading.values[kTop]);
    summary.stays = rules.stays(reading.values);
    return summary;
}

HandResult score_boards(const std::array<Board, 2>& boards, const std::array<int, 2>& chips,
                        const std::array<int, 2>& fantasyland, const Rules& rules) {
    HandResult result;
    result.boards = boards;
    result.fantasyland = fantasyland;
    for (int seat = 0; seat < 2; ++seat) {
        result.summaries[seat] = summarize(boards[seat], rules);
        result.next_width[seat] = result.summaries[seat].next_width(fantasyland[seat], rules);
    }
    const auto& [a, b] = result.summaries;
    const Lines lines(a, b);
    result.lines = lines.rows;
    if (lines.scoop()) result.scoop = lines.scoop() > 0 ? 0 : 1;
    result.points = points(a, b, rules);
    result.chips_moved = chips_moved(result.points, chips);
    result.chips = {chips[0] + result.chips_moved, chips[1] - result.chips_moved};
    return result;
}

}  // namespace ofc
