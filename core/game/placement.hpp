// A whole turn's placement and its coding into the 150 action slots.
//
//   0-26   turns 1-4: discard * 9 + row(first kept) * 3 + row(second kept), cards sorted
//   27-58  turn 0, first step: 27 + bits of the five sorted cards that go to the bottom
//   59-90  turn 0, second step: 59 + bits of the cards still in hand that go to the top, the rest to the middle
//   91-149 reserved, never legal
#pragma once

#include "game/board.hpp"
#include "game/turn_order.hpp"

namespace ofc {

inline constexpr int kActions = 150;
inline constexpr int kTurnSlots = 27;
inline constexpr int kOpeningBottom = 27;
inline constexpr int kOpeningTop = 59;
inline constexpr int kUsedSlots = 91;
inline constexpr int kOpenings = 232;

struct Placement {
    std::array<CardSet, kRows> rows{};
    CardSet discards = 0;

    CardSet all() const { return rows[0] | rows[1] | rows[2] | discards; }
    bool operator==(const Placement&) const = default;

    std::string text() const;  // "Ah>t Kd>b 2c>x"
    static Placement parse(std::string_view text);
};

using ActionMask = std::array<std::int8_t, kActions>;

// The two rows of the kept cards of a turn, in sorted order.
struct RowPair {
    std::int8_t first, second;
};

// What is legal depends only on the free slots of the rows; all cases are tabled at start-up.
struct LegalTurns {
    std::array<RowPair, 9> pairs;  // row choices for the two kept cards
    int pair_count = 0;
    ActionMask mask{};
};
const LegalTurns& legal_turns(const Board& board);
const ActionMask& opening_bottom_mask();
const ActionMask& opening_top_mask(int cards_in_hand);
const ActionMask& empty_mask();
// What a seat with these cards may play on this board; nothing with a fantasyland hand or none.
const ActionMask& legal_mask(const Board& board, CardSet hand, int opening_step);

// The rows of five sorted cards in each of the 232 openings.
const std::array<std::array<std::int8_t, 5>, kOpenings>& openings();

// The cards of `sorted` picked by the bits of a slot.
inline CardSet pick_bits(CardSet sorted, unsigned bits) {
    CardSet picked = 0;
    for (; bits && sorted; bits >>= 1, sorted = without_lowest(sorted))
        if (bits & 1) picked |= sorted & (~sorted + 1);
    return picked;
}
// The inverse: which of `sorted` are in `picked`.
unsigned bits_of(CardSet sorted, CardSet picked);

// The places, among a turn's three sorted cards, of the two that are kept.
constexpr std::array<int, 2> kept_positions(int discard) { return {discard == 0 ? 1 : 0, discard == 2 ? 1 : 2}; }

constexpr int turn_slot(int discard, int first_row, int second_row) { return discard * 9 + first_row * 3 + second_row; }

// Placement of a turn's three cards by a slot 0..26.
inline Placement turn_placement(CardSet hand, int slot) {
    const CardSet first = hand & (~hand + 1), rest = without_lowest(hand);
    const CardSet second = rest & (~rest + 1), third = without_lowest(rest);
    const std::array<CardSet, 3> cards{first, second, third};
    const int discard = slot / 9;
    const auto [kept, other_kept] = kept_positions(discard);
    Placement placement;
    placement.discards = cards[discard];
    placement.rows[(slot % 9) / 3] |= cards[kept];
    placement.rows[slot % 3] |= cards[other_kept];
    return placement;
}
// Every legal placement of a turn's cards; throws a sentence for a fantasyland hand, which has too many.
std::vector<Placement> list_placements(const Board& board, CardSet hand, int opening_step);
// Placement by any slot of the cards in hand; the first step of an opening places only those for the bottom.
inline Placement slot_placement(CardSet hand, int slot) {
    if (slot < kTurnSlots) return turn_placement(hand, slot);
    if (slot < kOpeningTop) return {{0, 0, pick_bits(hand, static_cast<unsigned>(slot - kOpeningBottom))}, 0};
    const CardSet top = pick_bits(hand, static_cast<unsigned>(slot - kOpeningTop));
    return {{top, hand & ~top, 0}, 0};
}
// Slot of a placement of a turn's three cards.
int turn_slot(CardSet hand, const Placement& placement);

// The slots that play a placement of these cards: one, or two for an opening that does not go to the bottom whole.
struct Slots {
    std::array<std::int16_t, 2> at{-1, -1};
    int count = 0;
    void add(int slot) { at[static_cast<std::size_t>(count++)] = static_cast<std::int16_t>(slot); }
    bool operator==(const Slots&) const = default;
};
Slots slots_of(CardSet hand, bool opening, int opening_step, const Placement& placement);

}  // namespace ofc
