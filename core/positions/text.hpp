// Positions as people write them: places by name, cards alone, or a line of a game log.
#pragma once

#include "positions/position.hpp"

namespace ofc {

inline constexpr std::size_t kLongestPositionText = 8000;  // characters that are read: a line of a log has about 700

// What somebody wrote down: a position, and what was played in it if that was said too.
struct WrittenPosition {
    GivenPosition position;
    std::optional<Placement> played;
};

// From a line of a log; or from places by name, such as "top: Qs  hand: Qh X1 5c  opponent middle: 4c 4d", which is
// also the text of an information set; or from cards alone, which are the hand. Throws a sentence for a text that is
// none of these. The rules are those of a text that names none; a line of a log is by its own.
WrittenPosition read_position(std::string_view text, const Rules* rules);

// The position before a turn of a game log and what was played, from one object of its JSONL form.
WrittenPosition read_position_line(std::string_view json);

}  // namespace ofc
