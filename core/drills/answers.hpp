// What answers to drills are worth.
#pragma once

#include <array>

namespace ofc {

// Answers to "foul or not": chances from … to …; the last one is a foul that no card can prevent.
struct Band {
    double from, to;
};
inline constexpr std::array<Band, 5> kFoulBands{{{0.0, 0.1}, {0.1, 0.3}, {0.3, 0.6}, {0.6, 1.0}, {1.0, 1.0}}};

}  // namespace ofc
