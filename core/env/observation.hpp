// The 490 numbers a seat sees, and the way back.
//
//   card * 9 + place, one-hot: 0-2 my rows, 3-5 opponent's rows, 6 in my hand, 7 my discard, 8 unseen
//   486 turn / 4 (0.125 at the second opening step)
//   487 1 if I am the button else 0; against a fantasyland opponent 0.2 * (width - 13)
//   488 my chips / 200, 489 opponent's chips / 200
#pragma once

#include "game/hand.hpp"

namespace ofc {

inline constexpr int kPlaces = 9;
inline constexpr int kCardNumbers = kCards * kPlaces;
inline constexpr int kObservation = kCardNumbers + 4;
inline constexpr float kChipScale = 200.0f;

// All that a seat may know, as sets of cards.
struct InformationSet {
    Board mine, opponent;  // `opponent` is empty while it lies face down
    CardSet in_hand = 0;   // empty for a seat that waits, and after a placement
    CardSet discards = 0;  // mine
    CardSet unseen = kFullDeck;
    int turn = 0;
    int opening_step = 0;
    bool button = false;  // meaningless against a fantasyland opponent
    int opponent_fantasyland = 0;
    int chips = 200, opponent_chips = 200;

    bool operator==(const InformationSet&) const = default;
};

InformationSet information_set(const Hand& hand, int seat);
void write_observation(const InformationSet& information, float* out);
inline void write_observation(const Hand& hand, int seat, float* out) {
    write_observation(information_set(hand, seat), out);
}

// Throws unless the numbers are an observation some seat can have.
InformationSet decode_observation(std::span<const float> numbers);

// A world that fits what a seat sees; the seat is 0 in it. Throws when no hand can be in that state.
Hand world_of(const InformationSet& information, Rng& rng, const Rules* rules = default_rules());

}  // namespace ofc
