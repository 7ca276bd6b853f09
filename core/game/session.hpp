// A whole session: hands in a row with chips, the button, fantasyland and the stop rules.
#pragma once

#include "game/hand.hpp"

namespace ofc {

enum class SessionEnd { kNone, kNoChips, kChipGap };
const char* session_end_name(SessionEnd end);  // "no_chips", "chip_gap"

SessionEnd end_after(const HandResult& result, const Rules& rules);  // whether the session ends with that hand

struct Session {
    // With `auto_fantasyland` a seat in fantasyland is set by the solver, without a step of its own.
    explicit Session(std::uint64_t seed, const Rules* rules = default_rules(), bool auto_fantasyland = true);

    const Rules* rules;
    std::uint64_t seed;
    bool auto_fantasyland;
    Hand hand;  // the hand being played; the last one once the session is over
    std::array<int, 2> chips;
    std::array<int, 2> fantasyland{};  // widths of the hand being played
    int button;
    int hands_played = 0;
    SessionEnd end = SessionEnd::kNone;
    std::vector<HandResult> settled;  // hands that ended in the last step; more than one if both were in fantasyland

    bool finished() const { return end != SessionEnd::kNone; }
    // Seat with more chips once the session is over.
    std::optional<int> winner() const {
        return !finished() || chips[0] == chips[1] ? std::nullopt : std::optional(chips[0] > chips[1] ? 0 : 1);
    }
    bool operator==(const Session& other) const {
        return rules == other.rules && seed == other.seed && auto_fantasyland == other.auto_fantasyland &&
               hand == other.hand && chips == other.chips && fantasyland == other.fantasyland &&
               button == other.button && hands_played == other.hands_played && end == other.end;
    }

    void step(int slot);
    void place(const Placement& placement);
    void verify() const;  // throws unless play can reach it

private:
    void start_hand();
    void settle();
    void play_on();  // after a placement: settle and start hands until someone has to act
};

}  // namespace ofc
