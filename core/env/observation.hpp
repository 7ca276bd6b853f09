// The 490 numbers a seat sees, and the way back.
//
//   card * 9 + place, one-hot: 0-2 my rows, 3-5 opponent's rows, 6 in my hand, 7 my discard, 8 unseen
//   486 turn / 4 (0.125 at the second opening step)
//   487 1 if I am the button else 0; against a fantasyland opponent 0.2 * (width - 13)
//   488 my chips / 200, 489 opponent's chips / 200
#pragma once

#include "game/information.hpp"

namespace ofc {

inline constexpr int kPlaces = 9;
inline constexpr int kCardNumbers = kCards * kPlaces;
inline constexpr int kObservation = kCardNumbers + 4;
inline constexpr float kChipScale = 200.0f;

void write_observation(const InformationSet& information, float* out);
inline void write_observation(const Hand& hand, int seat, float* out) {
    write_observation(information_set(hand, seat), out);
}

// A 64-bit number, evenly spread, fixed by the seed and by all 490 numbers: equal agents answer equally by it. Computed
// without writing the numbers down.
std::uint64_t observation_key(const InformationSet& information, std::uint64_t seed);

// Throws unless the numbers are an observation some seat can have under the rules. Jokers that they do not have are
// nowhere; other cards may be nowhere in a position set up with a short deck only.
InformationSet decode_observation(std::span<const float> numbers, const Rules* rules = default_rules(),
                                  bool short_deck = false);

}  // namespace ofc
