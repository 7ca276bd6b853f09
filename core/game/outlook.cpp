#include "game/outlook.hpp"

#include <algorithm>

namespace ofc {
namespace {

// Every value of a row so far, ascending; none for an empty row.
std::vector<RowValue> readings_so_far(CardSet row, int size) {
    if (!row) return {};
    if (count(row) < size) return group_readings(row);
    if (row & kJokerSet) {
        const auto readings = joker_readings(row);
        return {readings.begin(), readings.end()};
    }
    return {size == 3 ? read_top(row) : read_five(row)};
}

// A bound for what a row can become: a card to come is at most a joker.
RowValue highest_possible(CardSet row, int size) {
    int missing = size - count(row);
    if (missing > count(kJokerSet & ~row)) return kNoLimit;
    for (CardSet spare = kJokerSet & ~row; missing > 0; --missing, spare = without_lowest(spare))
        row |= bit(lowest(spare));
    return size == 3 ? read_top(row) : read_five(row);
}

// Whether the upper row at its least is a pair or more and beats the lower row at its best.
bool stands_above(const std::vector<RowValue>& upper, const std::vector<RowValue>& lower) {
    return !upper.empty() && category_of(upper.front()) >= kPair &&
           upper.front() > (lower.empty() ? kNoReading : lower.back());
}

}  // namespace

Outlook look_at(const Board& board, const Rules& rules) {
    Outlook outlook;
    std::array<std::vector<RowValue>, kRows> readings;
    RowValue limit = kNoLimit;
    bool fouled = false;
    for (int row = kBottom; row >= kTop; --row) {
        readings[row] = readings_so_far(board.rows[row], kRowSize[row]);
        const auto& values = readings[row];
        const auto above = std::upper_bound(values.begin(), values.end(), limit);
        const bool fits = above != values.begin();
        if (fits)
            outlook.values[row] = *(above - 1);
        else if (!values.empty())
            outlook.values[row] = values.front();
        fouled |= !fits && !values.empty();
        if (board.free_slots(row))
            limit = std::min(limit, highest_possible(board.rows[row], kRowSize[row]));
        else if (fits)
            limit = outlook.values[row];
    }
    for (int row = kTop; row < kBottom; ++row)
        outlook.stands_above[row] = stands_above(readings[row], readings[row + 1]);
    if (fouled) {
        outlook.danger = Danger::kFoul;
        return outlook;
    }
    if (outlook.stands_above[kTop] || outlook.stands_above[kMiddle]) outlook.danger = Danger::kRisk;
    for (int row = 0; row < kRows; ++row)
        if (board.rows[row]) outlook.royalties[row] = rules.royalty(static_cast<Row>(row), outlook.values[row]);
    outlook.entry_width = rules.entry_width(outlook.values[kTop]);
    outlook.stays = rules.stays(outlook.values);
    return outlook;
}

}  // namespace ofc
