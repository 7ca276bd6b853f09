// When a mistake comes back: the one place that knows the intervals.
//
// A mistake lies in a box. A right answer moves it to the next box, a wrong one back to the first; the further the box,
// the longer the rest. Somebody who answers right every time meets it seven times in half a year.
#pragma once

#include <algorithm>
#include <array>

namespace ofc {

inline constexpr int kMinutesOfDay = 24 * 60;
inline constexpr int kFirstRestMinutes = 10;
// After so many right answers in a row; the last one repeats.
inline constexpr std::array<int, 6> kRestDays{1, 3, 7, 16, 35, 90};

struct NextBox {
    int box;           // that a mistake moves to
    int rest_minutes;  // until it is due again
};

// `box` is where it lies, 0 for a new one.
constexpr NextBox after_answer(int box, bool is_right) {
    if (!is_right) return {0, kFirstRestMinutes};
    const int last = static_cast<int>(kRestDays.size()) - 1;
    return {box + 1, kMinutesOfDay * kRestDays[static_cast<std::size_t>(std::clamp(box, 0, last))]};
}

}  // namespace ofc
