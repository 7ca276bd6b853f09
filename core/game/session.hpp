// A whole session: hands in a row with chips, the button, fantasyland and the stop rules.
#pragma once

#include <cstdlib>

#include "game/hand.hpp"

namespace ofc {

enum class SessionEnd { kNone, kNoChips, kChipGap };
const char* session_end_name(SessionEnd end);  // "no_chips", "chip_gap"
// Whether a session ends with these chips and with these fantasylands to come.
inline SessionEnd session_end(const std::array<int, 2>& chips, const std::array<int, 2>& fantasyland, int stop_gap) {
    if (!chips[0] || !chips[1]) return SessionEnd::kNoChips;
    const bool someone_in_fantasyland = fantasyland[0] || fantasyland[1];
    return std::abs(chips[0] - chips[1]) >= stop_gap && !someone_in_fantasyland ? SessionEnd::kChipGap
                                                                                : SessionEnd::kNone;
}

// What one hand of a session leaves to the next.
struct Standing {
    Standing(const Rules& rules, int first_button) : chips{rules.chips, rules.chips}, button(first_button) {}

    std::array<int, 2> chips;
    std::array<int, 2> fantasyland{};  // widths of the hand being played
    int button;
    SessionEnd end = SessionEnd::kNone;

    bool finished() const { return end != SessionEnd::kNone; }
    HandOptions next_hand(const Rules* rules) const { return {button, chips, fantasyland, rules}; }
    void settle(const HandResult& result, const Rules& rules);  // after a hand; the button moves if there is a next one
    bool operator==(const Standing&) const = default;
};

using FantasylandSetter = void (*)(Hand&);  // places the cards of the seat to act, which is in fantasyland

struct Session : Standing {
    // With a setter, a seat in fantasyland needs no step of its own.
    explicit Session(std::uint64_t seed, const Rules* rules = default_rules(), FantasylandSetter setter = nullptr);

    const Rules* rules;
    std::uint64_t seed;
    FantasylandSetter set_fantasyland;
    Hand hand;  // the hand being played; the last one once the session is over
    int hands_played = 0;
    std::vector<HandResult> settled;  // hands that ended in the last step; more than one if both were in fantasyland

    // Seat with more chips once the session is over.
    std::optional<int> winner() const {
        return !finished() || chips[0] == chips[1] ? std::nullopt : std::optional(chips[0] > chips[1] ? 0 : 1);
    }
    bool operator==(const Session& other) const {
        return Standing::operator==(other) && rules == other.rules && seed == other.seed &&
               set_fantasyland == other.set_fantasyland && hand == other.hand && hands_played == other.hands_played;
    }

    void step(int slot);
    void place(const Placement& placement);
    // Throws unless play can reach it, from its seed on, with these results.
    void verify(std::span<const HandResult> history) const;

private:
    void start_hand();
    void set_fantasylands();
    void play_on();  // after a placement: settle and start hands until someone has to act
};

}  // namespace ofc
