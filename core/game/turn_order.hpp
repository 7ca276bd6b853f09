// The course of a hand: how many cards a turn deals and leaves on a board, and which seat acts when.
#pragma once

#include "game/rules.hpp"

namespace ofc {

inline constexpr int kNobody = -1;

inline constexpr int kOpeningCards = 5;                                       // dealt on turn 0 and all placed
inline constexpr int kTurnCards = 3;                                          // dealt on every later turn
inline constexpr int kTurnPlaced = 2;                                         // of these; the third is thrown away
inline constexpr int kSeatCards = kOpeningCards + (kTurns - 1) * kTurnCards;  // of a hand played normally
static_assert(kOpeningCards + (kTurns - 1) * kTurnPlaced == kBoardCards);

constexpr int cards_dealt(int turn) { return turn ? kTurnCards : kOpeningCards; }
constexpr int placed_after(int turn) { return kOpeningCards + turn * kTurnPlaced; }
constexpr int placed_before(int turn) { return turn ? placed_after(turn - 1) : 0; }
constexpr int discards_on(int turn) { return cards_dealt(turn) - (placed_after(turn) - placed_before(turn)); }
constexpr int discards_after(int turn) { return turn * discards_on(1); }
// Whole turns behind and ahead of a board with so many cards.
constexpr int turns_played(int placed) {
    return placed < kOpeningCards ? 0 : (placed - kOpeningCards) / kTurnPlaced + 1;
}
constexpr int turns_left(int placed) { return kTurns - turns_played(placed); }

// Whether the button acts first is a rule; this is the one place that asks it.
constexpr bool acts_first(bool has_button, const Rules& rules) {
    return has_button == (rules.button_acts == ButtonActs::kFirst);
}
constexpr int first_to_act(int button, const Rules& rules) { return acts_first(true, rules) ? button : 1 - button; }
constexpr int button_if_first(int seat, const Rules& rules) { return first_to_act(seat, rules); }
constexpr std::array<int, 2> acting_order(int button, const Rules& rules) {
    return {first_to_act(button, rules), 1 - first_to_act(button, rules)};
}

// The seat that is dealt to next, given the cards that each has placed, or kNobody. Seats in fantasyland set theirs
// before anything else; such a board is complete, so it never makes a normal seat wait.
constexpr int next_to_act(const std::array<int, 2>& order, const std::array<int, 2>& placed,
                          const std::array<bool, 2>& in_fantasyland) {
    const auto [first, second] = order;
    for (const int seat : {first, second})
        if (in_fantasyland[seat] && !placed[seat]) return seat;
    if (placed[first] < kBoardCards && placed[first] <= placed[second]) return first;
    return placed[second] < kBoardCards ? second : kNobody;
}

}  // namespace ofc
