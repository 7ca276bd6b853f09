#include "network/features.hpp"

#include <algorithm>

namespace ofc {
namespace {

// Where the inputs of a side's rows begin.
constexpr int board_at(Side side) { return side == kMine ? kMineAt : kOpponentAt; }
constexpr int order_at(Side side) { return board_at(side) + kRows * kRowFeatures; }
constexpr int done_at(Side side) { return order_at(side) + kOrderFeatures; }

// What a row has made: category << 20 | rank << 16, of a full row its value.
int row_made(CardSet row, const RankSets& ranks, int which) {
    const int size = kRowSize[which];
    if (count(row) == size) return static_cast<int>(which == kTop ? read_top(row) : read_five(row));
    // An open row counts for the group it has; a joker joins the largest.
    const auto [once, twice, thrice, all] = ranks;
    if (!once) return 0;
    int group = all ? 4 : thrice ? 3 : twice ? 2 : 1;
    const int rank = 31 - std::countl_zero(all ? all : thrice ? thrice : twice ? twice : once);
    group = std::min(group + joker_count(row), 4);
    int category = group == 4 ? kQuads : group == 3 ? kTrips : group == 2 ? kPair : kHighCard;
    if (category == kPair && std::popcount(twice) == 2) category = kTwoPair;
    return category << 20 | (rank + 1) << 16;
}

int list_content(const RowOutlook& outlook, int at, std::uint16_t* out) {
    const CardSet row = outlook.cards;
    const int which = outlook.which;
    int n = 0;
    const auto add = [&](int feature) { out[n++] = static_cast<std::uint16_t>(at + feature); };
    const auto [once, twice, thrice, all] = outlook.ranks;
    int base = 0;
    for (const unsigned ranks : {once, twice, thrice, all}) {
        for (unsigned left = ranks; left; left &= left - 1) add(base + std::countr_zero(left));
        base += kRanks;
    }
    int suits = 0;
    for (int suit = 0; suit < 4; ++suit, base += 5) {
        const unsigned ranks = suit_ranks(row, suit);
        if (ranks) add(base + std::popcount(ranks) - 1);
        suits += ranks != 0;
    }
    const int jokers = joker_count(row), free = outlook.free;
    for (int i = 0; i < jokers; ++i) add(base + i);
    base += 2;
    add(base + free);
    base += 6;
    const int made = outlook.most;
    if (made) add(base + (made >> 20));
    base += 9;
    if (made) add(base + ((made >> 16) & 15) - 1);
    base += 13;
    if (which != kTop && row) {
        if (suits <= 1) add(base + (free == 0));
        if (!twice) {  // how many straights are still possible
            int windows = 0;
            for (const unsigned window : kStraights) windows += !(once & ~window);
            if (windows) add(base + 2 + std::min(windows, 5));
        }
    }
    return n;
}

int list_outs(const RowOutlook& outlook, const Unseen& unseen, int at, std::uint16_t* out) {
    const CardSet row = outlook.cards;
    const int which = outlook.which;
    int n = 0;
    const auto add = [&](int feature) { out[n++] = static_cast<std::uint16_t>(at + feature); };
    const int free = outlook.free;
    if (!free || !row) return 0;
    const auto [once, twice, thrice, all] = outlook.ranks;
    const auto sum = [&](unsigned ranks) {
        int total = 0;
        for (; ranks; ranks &= ranks - 1) total += unseen.left[std::countr_zero(ranks)];
        return total;
    };
    int base = 0;
    if (once & ~twice) add(base + std::min(sum(once & ~twice), 9));
    base += 10;
    if (twice & ~thrice) add(base + std::min(sum(twice & ~thrice), 4));
    base += 5;
    if (thrice) add(base + std::min(sum(thrice), 2));
    base += 3;
    if (which == kTop) {
        for (int rank = kRanks - 3; rank < kRanks; ++rank, base += 4)
            if ((once & ~twice) >> rank & 1) add(base + unseen.left[rank]);
        return n;
    }
    int suits = 0, outs_of_suit = 0;
    for (int suit = 0; suit < 4; ++suit)
        if (suit_ranks(row, suit)) {
            ++suits;
            outs_of_suit = std::popcount(suit_ranks(unseen.cards, suit));
        }
    if (suits == 1) add(base + (free - 1) * 5 + std::clamp((outs_of_suit - 1) / 2, 0, 4));
    base += 20;
    if (!twice) {  // cards that lie in a straight that can still be made
        unsigned wanted = 0;
        const int jokers = joker_count(row);
        for (const unsigned window : kStraights) {
            const unsigned missing = window & ~once;
            if (!(once & ~window) && std::popcount(missing & ~unseen.live) <= jokers) wanted |= missing;
        }
        const int outs = sum(wanted);
        add(base + (free - 1) * 5 + (outs ? 1 + std::min((outs - 1) / 3, 3) : 0));
    }
    return n;
}

int list_worth(const RowOutlook& row, const Rules& rules, int at, std::uint16_t* out) {
    int n = 0;
    const auto value = static_cast<RowValue>(row.most);
    if (!value) return n;
    const int royalty = rules.royalty(static_cast<Row>(row.which), value);
    for (const int step : kRoyaltySteps) {
        if (royalty >= step) out[n++] = static_cast<std::uint16_t>(at);
        ++at;
    }
    if (row.which == kTop)
        if (const int width = rules.entry_width(value))
            out[n++] = static_cast<std::uint16_t>(at + width - kSmallestFantasyland);
    return n;
}

int list_repairs(const RowOutlook& upper, const RowOutlook& lower, const Unseen& unseen, int at, std::uint16_t* out) {
    static constexpr std::array<int, 16> kStep{0, 1, 2, 3, 4, 5, 5, 6, 6, 7, 7, 7, 8, 8, 8, 8};
    const auto step = [](int cards) { return cards < 16 ? kStep[cards] : 9; };
    int n = 0;
    for (const int wanted : {upper.most, upper.least}) {
        if (lower.most < wanted && lower.free == 0) {
            out[n++] = static_cast<std::uint16_t>(at);
        } else if (lower.most < wanted && lower.free <= 2) {
            const auto& next = lower.next(unseen);
            int outs = 0;
            for (int i = 0; i < next.n; ++i) outs += next.most[i] >= wanted ? next.cards[i] : 0;
            out[n++] = static_cast<std::uint16_t>(at + 1 + (lower.free - 1) * 10 + step(outs));
        }
        at += 21;
    }
    if (upper.least <= lower.most && (upper.free == 1 || upper.free == 2)) {
        const auto& next = upper.next(unseen);
        int outs = 0;
        for (int i = 0; i < next.n; ++i) outs += next.least[i] <= lower.most ? next.cards[i] : 0;
        out[n++] = static_cast<std::uint16_t>(at + (lower.free == 0) * 20 + (upper.free - 1) * 10 + step(outs));
    }
    return n;
}

}  // namespace

Unseen::Unseen(CardSet unseen) : cards(unseen) {
    for (int rank = 0; rank < kRanks; ++rank) {
        left[rank] = static_cast<std::int8_t>(count(unseen & rank_set(rank)));
        live |= static_cast<unsigned>(left[rank] > 0) << rank;
    }
}

void RowOutlook::set(CardSet row, int place) {
    cards = row;
    which = place;
    free = kRowSize[place] - count(row);
    ranks = RankSets(row);
    most = least = row_made(row, ranks, place);
    if (joker_count(row))
        least = free ? row_made(row & kNaturalSet, ranks, place) : static_cast<int>(joker_readings(row).front());
    next_.n = -1;
}

const RowOutlook::Next& RowOutlook::next(const Unseen& unseen) const {
    if (next_.n >= 0) return next_;
    next_.n = 0;
    const auto add = [&](CardSet same) {
        if (!same) return;
        const RowOutlook after(cards | (same & (~same + 1)), which);
        next_.most[next_.n] = after.most;
        next_.least[next_.n] = after.least;
        next_.cards[next_.n++] = static_cast<std::int8_t>(count(same));
    };
    // Suits matter to a row that is one card short of a flush.
    CardSet suited = 0;
    if (free == 1 && which != kTop)
        for (int suit = 0, suits = 0; suit < 4; ++suit)
            if (suit_ranks(cards, suit)) suited = suits++ ? 0 : CardSet{0x1FFF} << (kRanks * suit);
    for (int rank = 0; rank < kRanks; ++rank) {
        const CardSet left = unseen.cards & rank_set(rank);
        add(left & suited);
        add(left & ~suited);
    }
    add(unseen.cards & kJokerSet);
    return next_;
}

int list_row(const RowOutlook& row, Side side, const Unseen& unseen, const Rules& rules, std::uint16_t* out) {
    const int at = side * kRows + row.which;
    int n = list_content(row, board_at(side) + row.which * kRowFeatures, out);
    n += list_outs(row, unseen, kOutsAt + at * kOutsFeatures, out + n);
    return n + list_worth(row, rules, kWorthAt + at * kWorthFeatures, out + n);
}

int list_neighbours(const RowOutlook& upper, const RowOutlook& lower, Side side, const Unseen& unseen,
                    std::uint16_t* out) {
    const bool full = !upper.free && !lower.free;
    const int order = 1 + compare(upper.most, lower.most);
    out[0] = static_cast<std::uint16_t>(order_at(side) + upper.which * 6 + full * 3 + order);
    return 1 + list_repairs(upper, lower, unseen, kRepairsAt + (2 * side + upper.which) * kRepairFeatures, out + 1);
}

int list_done(const Board& board, Side side, const Rules& rules, std::uint16_t* out) {
    if (!board.complete()) return 0;
    const BoardSummary summary = summarize(board, rules);
    const int at = done_at(side);
    int n = 0;
    if (summary.fouled) {
        out[n++] = static_cast<std::uint16_t>(at);
        return n;
    }
    out[n++] = static_cast<std::uint16_t>(at + 1 + (summary.entry_width ? summary.entry_width - kBoardCards : 0));
    for (int i = 0; i < std::min(12, (summary.royalty_total + 1) / 2); ++i)
        out[n++] = static_cast<std::uint16_t>(at + 6 + i);
    return n;
}

std::array<RowOutlook, kRows> outlooks_of(const Board& board) {
    return {RowOutlook(board.rows[kTop], kTop), RowOutlook(board.rows[kMiddle], kMiddle),
            RowOutlook(board.rows[kBottom], kBottom)};
}

int list_board(const Board& board, const std::array<RowOutlook, kRows>& rows, Side side, const Unseen& unseen,
               const Rules& rules, std::uint16_t* out) {
    int n = 0;
    for (const RowOutlook& row : rows) n += list_row(row, side, unseen, rules, out + n);
    n += list_neighbours(rows[kTop], rows[kMiddle], side, unseen, out + n);
    n += list_neighbours(rows[kMiddle], rows[kBottom], side, unseen, out + n);
    return n + list_done(board, side, rules, out + n);
}

std::uint16_t duel_feature(const RowOutlook& mine, const RowOutlook& other) {
    const int full = !mine.free + 2 * !other.free;
    const int result = 1 + compare(mine.most, other.most);
    return static_cast<std::uint16_t>(kDuelsAt + mine.which * kDuelFeatures + full * 3 + result);
}

int list_table(const PackedState& state, const Unseen& unseen, std::uint16_t* out) {
    int n = 0;
    const auto add = [&](int feature) { out[n++] = static_cast<std::uint16_t>(feature); };
    int at = kUnseenAt;
    for (int rank = 0; rank < kRanks; ++rank, at += 5) add(at + unseen.left[rank]);
    for (int suit = 0; suit < 4; ++suit, at += kRanks + 1) add(at + std::popcount(suit_ranks(state.unseen, suit)));
    add(at + joker_count(state.unseen));
    const int turn = static_cast<int>(state.table & 255), button = static_cast<int>(state.table >> 8 & 255),
              width = static_cast<int>(state.table >> 16 & 255);
    add(kTableAt + turn);
    if (button) add(kTableAt + 5);
    const int mine = count(state.mine[0] | state.mine[1] | state.mine[2]),
              theirs = count(state.opponent[0] | state.opponent[1] | state.opponent[2]);
    if (!width && theirs >= mine) add(kTableAt + 6);
    if (width) add(kTableAt + 7 + width - kSmallestFantasyland);
    const int chips = static_cast<int>(state.table >> 32 & 0xFFFF), others = static_cast<int>(state.table >> 48);
    at = kChipsAt;
    for (const int stack : {chips, others})
        for (const int limit : kShortStacks) {
            if (stack < limit) add(at);
            ++at;
        }
    for (const int lead : {chips - others, others - chips})
        for (const int limit : kLeads) {
            if (lead >= limit) add(at);
            ++at;
        }
    return n;
}

int list_features(const PackedState& state, const Rules& rules, std::uint16_t* out) {
    const Board board{state.mine}, other{state.opponent};
    const auto mine = outlooks_of(board), theirs = outlooks_of(other);
    const Unseen unseen(state.unseen);
    int n = list_board(board, mine, kMine, unseen, rules, out);
    n += list_board(other, theirs, kOpponents, unseen, rules, out + n);
    for (int row = 0; row < kRows; ++row) out[n++] = duel_feature(mine[row], theirs[row]);
    return n + list_table(state, unseen, out + n);
}

}  // namespace ofc
