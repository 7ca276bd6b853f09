// One hand of OFC Pineapple between two seats: dealing, placing, and the result.
//
// A Hand is a plain value: copying it clones the game. The seat to act is the only one that holds cards.
#pragma once

#include <span>

#include "game/placement.hpp"
#include "game/random.hpp"
#include "game/turn_order.hpp"

namespace ofc {

struct HandOptions {
    int button = 0;
    std::array<int, 2> chips{200, 200};
    std::array<int, 2> fantasyland{0, 0};  // width per seat, 0 for normal play
    const Rules* rules = default_rules();
};

// Cards that a seat is dealt at once.
struct Deal {
    int seat = 0;
    int turn = 0;  // 0 for a fantasyland hand
    CardSet cards = 0;
};

struct Hand {
    const Rules* rules = default_rules();
    std::array<Board, 2> boards{};
    std::array<CardSet, 2> discards{};
    CardSet in_hand = 0;              // of `player`
    CardSet cards = kFullDeck;        // all that are in the game: the rules' deck, or fewer in a position set up short
    std::array<Card, kCards> deck{};  // as many as there are cards
    std::array<std::int32_t, 2> chips{};
    std::array<std::uint8_t, 2> fantasyland{};
    std::uint8_t dealt = 0;  // cards taken from the front of the deck
    std::int8_t button = 0;
    std::int8_t player = kNobody;   // seat to act; kNobody once finished
    std::uint8_t opening_step = 0;  // 1 between the two steps of an opening

    static Hand from_seed(std::uint64_t seed, const HandOptions& options = {});
    // Throws unless the deck is made of the rules' cards.
    static Hand from_deck(std::span<const int> deck, const HandOptions& options = {});
    void restart(Rng& rng, const HandOptions& options);  // shuffles and deals, without any check

    bool operator==(const Hand&) const = default;
    std::uint64_t hash() const;

    int deck_size() const { return count(cards); }
    std::array<int, 2> order() const { return acting_order(button, *rules); }
    bool finished() const { return player == kNobody; }
    bool sets_fantasyland() const { return player != kNobody && fantasyland[player]; }
    int cards_placed(int seat) const { return count(boards[seat].all()); }
    // Turn of the cards in hand, or the turn just played by a seat that holds none: 0..4.
    int turn_of(int seat) const;
    int turn() const { return finished() ? kTurns - 1 : turn_of(player); }
    // A fantasyland board lies face down until the hand is over.
    bool hidden_from(int seat) const { return fantasyland[1 - seat] && !finished(); }
    CardSet undealt() const;
    CardSet unseen(int seat) const;  // deck, opponent's hand and discards, a face-down board

    const ActionMask& mask() const;  // all zero for a fantasyland hand and when finished
    bool is_legal(int slot) const { return slot >= 0 && slot < kActions && mask()[slot]; }
    void verify_legal(int slot) const;  // throws a sentence
    void apply(int slot);               // no check
    void step(int slot) {
        verify_legal(slot);
        apply(slot);
    }

    void verify_placement(const Placement& placement) const;  // throws a sentence
    void apply(const Placement& placement);                   // no check; a whole turn
    void place(const Placement& placement) {
        verify_placement(placement);
        apply(placement);
    }
    std::vector<Placement> placements() const;                    // every legal placement of this turn
    std::vector<int> slots_of(const Placement& placement) const;  // one slot, or two for an opening
    Placement placement_of(std::span<const int> slots) const;

    HandResult result() const;  // throws while the hand goes on

    void verify() const;       // throws unless the state is one that play can reach
    int cards_needed() const;  // by all its deals
    // The deals of a whole hand, in order, whatever is placed: from the front of the deck.
    std::vector<Deal> deals() const;
    // Throws unless a complete board is made of what the deals of a hand gave its seat, the right number from each.
    void verify_complete(int seat, const Board& board) const;
    void deal_next();  // finds who acts next and deals to them
    // The same hand with its cards called otherwise, wherever they lie: in the deck, on boards, in hand, thrown away.
    // Throws unless `names` are the cards of `cards` in some order, all of them in the game.
    Hand renamed(std::span<const int> cards, std::span<const int> names) const;
    std::string text() const;  // the table
};

}  // namespace ofc
