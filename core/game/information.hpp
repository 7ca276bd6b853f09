// What a seat knows: the boards it sees, its own cards, and the table.
#pragma once

#include <span>

#include "game/hand.hpp"

namespace ofc {

// All that a seat may know, as sets of cards.
struct InformationSet {
    const Rules* rules = default_rules();
    Board mine, opponent;        // `opponent` is empty while it lies face down
    CardSet in_hand = 0;         // empty for a seat that waits, and after a placement
    CardSet discards = 0;        // mine
    CardSet unseen = kFullDeck;  // of a short deck fewer than the rules' cards that are nowhere else
    int turn = 0;
    int opening_step = 0;
    bool button = false;  // false against a fantasyland opponent, where order means nothing
    int opponent_fantasyland = 0;
    int chips = 200, opponent_chips = 200;

    bool operator==(const InformationSet&) const = default;

    CardSet seen() const { return mine.all() | opponent.all() | in_hand | discards; }
    CardSet cards() const { return seen() | unseen; }             // all that are in the game
    CardSet nowhere() const { return rules->deck() & ~cards(); }  // those that a short deck lacks
    bool first() const { return acts_first(button, *rules); }     // of the two to act on a turn
    bool to_act() const { return in_hand != 0; }
    const ActionMask& mask() const;  // of the seat; all zero if it holds no cards or sets a fantasyland hand
    Slots slots_of(const Placement& placement) const {
        return ofc::slots_of(in_hand, turn == 0, opening_step, placement);
    }
    // Every legal placement of the turn; throws a sentence for a fantasyland hand.
    std::vector<Placement> placements() const;
    // Throws a sentence unless each of these is one of them.
    void verify_placements(std::span<const Placement> placements) const;

    // "turn=1 bottom=Kh,Kd ... hand=Qh,X1,5c button=on chips=200 opponent_chips=200"; before it
    // "rules=standard+scoop=6" where they are not those of the house, and the cards that a short deck lacks as
    // "nowhere=2h,2d".
    std::string text() const;
    static InformationSet parse(std::string_view text);

    InformationSet first_step() const;  // of an opening that is in its second: the five cards in hand again
    // Whether this can be a later decision of the same seat in the same hand.
    bool follows(const InformationSet& before) const;
    // Whether the seat itself is in fantasyland.
    bool own_fantasyland() const;
    void verify() const;                 // throws a sentence unless some seat of some hand can know just this
    void leave_unseen(CardSet nowhere);  // what the seat does not see, of a deck that lacks these cards
    void seat_by_boards();               // gives the seat the button, or not, as the cards on the boards say
    // Throws a sentence unless a hand by the rules that `who` was made for is the same game.
    void verify_played_by(const Rules& made_for, const char* who) const;

private:
    bool opponent_fits() const;  // whether the opponent can have placed as many cards as it has
};

InformationSet information_set(const Hand& hand, int seat);

// What a seat knows now, and what it knew at its earlier decisions of the hand, oldest first: a belief follows from
// both.
struct Knowledge {
    InformationSet now;
    std::vector<InformationSet> earlier;

    bool operator==(const Knowledge&) const = default;
    std::vector<InformationSet> decisions() const;  // the earlier ones and the present one
    std::string text() const;                       // the decisions, with " ; " between
    static Knowledge parse(std::string_view text);
};

}  // namespace ofc
