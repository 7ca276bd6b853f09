#include "game/fouls.hpp"

#include "game/outlook.hpp"

namespace ofc {
namespace {

// Whether two of the cards fill the last two places of a board without a foul.
bool can_be_filled(const Board& board, CardSet cards) {
    std::array<int, 2> free{};
    int places = 0;
    for (int row = 0; row < kRows; ++row)
        for (int slot = board.free_slots(row); slot > 0; --slot) free[static_cast<std::size_t>(places++)] = row;
    const auto stands = [&](int first, int second) {
        Board full = board;
        full.rows[free[0]] |= bit(first);
        full.rows[free[1]] |= bit(second);
        return !read_board(full).fouled();
    };
    for (CardSet left = cards; left; left = without_lowest(left))
        for (CardSet others = without_lowest(left); others; others = without_lowest(others)) {
            const int one = lowest(left), other = lowest(others);
            if (stands(one, other) || (free[0] != free[1] && stands(other, one))) return true;
        }
    return false;
}

bool board_is_lost(const InformationSet& information, const Placement& placement) {
    Board board = information.mine;
    for (int row = 0; row < kRows; ++row) board.rows[row] |= placement.rows[row];
    if (board.complete()) return read_board(board).fouled();
    if (look_at(board, *information.rules).danger == Danger::kFoul) return true;
    return information.turn == kTurns - 2 && !can_be_filled(board, information.unseen);
}

void verify(const InformationSet& information, const Placement& placement) {
    if (!information.own_fantasyland()) {
        information.verify_placements({&placement, 1});
        return;
    }
    const Board board{placement.rows};
    board.verify();
    board.verify_complete();
    if (placement.all() != information.in_hand)
        throw std::invalid_argument("'" + placement.text() +
                                    "' is not a setting of this position: " + information.text());
}

}  // namespace

bool is_lost(const InformationSet& information, const Placement& placement) {
    verify(information, placement);
    return board_is_lost(information, placement);
}

bool makes_foul_certain(const InformationSet& information, const Placement& placement) {
    if (!is_lost(information, placement)) return false;
    if (information.own_fantasyland()) return true;  // so many cards can always be set without a foul
    for (const Placement& each : information.placements())
        if (!board_is_lost(information, each)) return true;
    return false;
}

}  // namespace ofc
