#include "network/afterstate.hpp"

#include <stdexcept>
#include <utility>

#include "game/turn_order.hpp"

namespace ofc {

void PackedState::verify() const {
    const auto refuse = [](const std::string& why) { throw std::invalid_argument("not a packed state: " + why); };
    CardSet seen = 0;
    const auto add = [&](CardSet cards) {
        if (cards & ~kFullDeck) refuse("it holds cards that do not exist");
        if (seen & cards) refuse("card " + card_name(lowest(seen & cards)) + " is in two places");
        seen |= cards;
    };
    for (const auto& rows : {mine, opponent})
        for (int row = 0; row < kRows; ++row) {
            add(rows[row]);
            if (count(rows[row]) > kRowSize[row])
                refuse("a row has " + std::to_string(count(rows[row])) + " cards: " + names(rows[row]));
        }
    add(unseen);
    const auto turn = table & 255, has_button = table >> 8 & 255, width = table >> 16 & 255,
               nothing = table >> 24 & 255;
    if (turn >= kTurns || has_button > 1 || nothing ||
        (width && (width < kSmallestFantasyland || width > kLargestFantasyland)))
        refuse("turn " + std::to_string(turn) + ", button " + std::to_string(has_button) + ", fantasyland " +
               std::to_string(width));
}

PackedState pack_state(const InformationSet& info) {
    const int width = info.opponent_fantasyland;
    const auto field = [](int value, int at) { return static_cast<std::uint64_t>(value) << at; };
    return {info.mine.rows, info.opponent.rows, info.unseen,
            field(info.turn, 0) | field(info.button && !width, 8) | field(width, 16) | field(info.chips, 32) |
                field(info.opponent_chips, 48)};
}

PackedState pack_after(const InformationSet& before, const Placement& placement) {
    PackedState state = pack_state(before);
    for (int row = 0; row < kRows; ++row) state.mine[row] |= placement.rows[row];
    return state;
}

void PackedPosition::verify() const {
    seen.verify();
    CardSet placed = seen.unseen;
    for (const auto& rows : {seen.mine, seen.opponent})
        for (const CardSet row : rows) placed |= row;
    const int turn = static_cast<int>(seen.table & 255), board = count(seen.mine[0] | seen.mine[1] | seen.mine[2]);
    if (board != placed_before(turn))
        throw std::invalid_argument("not a packed position: a board of " + std::to_string(board) + " cards on turn " +
                                    std::to_string(turn));
    if (in_hand & ~kFullDeck || in_hand & placed || count(in_hand) != cards_dealt(turn))
        throw std::invalid_argument("not a packed position: the hand is " + names(in_hand & kFullDeck) + ", and turn " +
                                    std::to_string(turn) + " deals " + std::to_string(cards_dealt(turn)) +
                                    " cards that are nowhere else");
}

std::vector<Placement> PackedPosition::placements() const { return list_placements(Board{seen.mine}, in_hand, 0); }

PackedState PackedPosition::after(const Placement& placement) const {
    PackedState state = seen;
    for (int row = 0; row < kRows; ++row) state.mine[row] |= placement.rows[row];
    return state;
}

PackedPosition pack_position(const InformationSet& info) { return {pack_state(info), info.in_hand}; }

PackedState relabel(const PackedState& state, int symmetry) {
    std::array<int, 4> suits{0, 1, 2, 3};
    for (int i = 0, code = symmetry / 2; i < 3; ++i) {  // the permutation numbered by its Lehmer code
        const int pick = code % (4 - i);
        code /= 4 - i;
        std::swap(suits[i], suits[i + pick]);
    }
    const bool swap_jokers = symmetry & 1;
    const auto rename = [&](CardSet set) {
        CardSet result = 0;
        for (int suit = 0; suit < 4; ++suit)
            result |= static_cast<CardSet>(suit_ranks(set, suit)) << (kRanks * suits[suit]);
        const CardSet jokers = set & kJokerSet;
        if (!swap_jokers || jokers == kJokerSet || jokers == 0) return result | jokers;
        return result | (kJokerSet & ~jokers);
    };
    PackedState renamed = state;
    for (int row = 0; row < kRows; ++row) {
        renamed.mine[row] = rename(state.mine[row]);
        renamed.opponent[row] = rename(state.opponent[row]);
    }
    renamed.unseen = rename(state.unseen);
    return renamed;
}

}  // namespace ofc
