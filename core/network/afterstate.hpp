// What a seat sees after a placement and before the next deal, packed: what the network judges and learns from.
#pragma once

#include "game/information.hpp"

namespace ofc {

// What a seat sees with nothing in hand, in 64 bytes.
struct PackedState {
    std::array<CardSet, 3> mine{}, opponent{};
    CardSet unseen = 0;
    std::uint64_t table = 0;  // turn | button << 8 | opponent's fantasyland << 16 | chips << 32 | opponent's << 48
    bool operator==(const PackedState&) const = default;
    void verify() const;  // throws a sentence unless it is one that could be packed
};
static_assert(sizeof(PackedState) == 64);

// The stage of the hand: the turn just placed, and whether the opponent sets a fantasyland.
inline constexpr int kStages = 2 * kTurns;
inline int stage_of(const PackedState& state) {
    return 2 * static_cast<int>(state.table & 255) + (state.table >> 16 & 255 ? 1 : 0);
}

// What a seat sees with the cards of its turn in hand: a decision, in 72 bytes.
struct PackedPosition {
    PackedState seen;
    CardSet in_hand = 0;
    void verify() const;  // throws a sentence unless it is a whole turn that could be packed
    std::vector<Placement> placements() const;
    PackedState after(const Placement& placement) const;
};
static_assert(sizeof(PackedPosition) == 72);

PackedPosition pack_position(const InformationSet& information);  // of a seat that is to place

PackedState pack_state(const InformationSet& information);  // of a seat that has just placed
PackedState pack_after(const InformationSet& before, const Placement& placement);
// The same state with suits and jokers renamed: one of 48.
PackedState relabel(const PackedState& state, int symmetry);

}  // namespace ofc
