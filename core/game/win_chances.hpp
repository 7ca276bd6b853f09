// The chance to win a session, by rules: the one table, and how it is asked.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "game/rules.hpp"

namespace ofc {

class WinChances {
public:
    // A line of the measured table: what both hold, and chances in ten-thousandths by the chips above the start.
    static constexpr int kReach = 100;
    struct Row {
        int mine = 0, theirs = 0;
        std::array<std::int16_t, 2 * kReach + 1> chances{};
    };

    WinChances(const Rules& rules, std::span<const Row> rows);

    // Seat 0's chance with these chips and with these fantasylands in the next hand; 0 or 1 where the session is over.
    // Beyond the table's reach that of its end.
    double chance(const std::array<int, 2>& chips, const std::array<int, 2>& fantasyland) const;
    // The same from -1, lost, to 1, won.
    double standing(const std::array<int, 2>& chips, const std::array<int, 2>& fantasyland) const {
        return 2.0 * chance(chips, fantasyland) - 1.0;
    }
    // What a standing of 1 is worth in points, where a chip that is won or lost at even chips is worth one.
    double points() const { return points_; }

private:
    static constexpr int kStates = kLargestFantasyland - kSmallestFantasyland + 2;
    static constexpr std::size_t state(int width) {
        return width ? static_cast<std::size_t>(width - kSmallestFantasyland + 1) : 0;
    }

    int stop_gap_;
    double points_ = 0.0;
    std::array<std::array<std::array<float, 2 * kReach + 1>, kStates>, kStates> chances_{};
};

// Null where nobody has measured them. Clocks make no difference.
const WinChances* measured_win_chances(const Rules& rules);
// The same; throws a sentence that names the command which measures them.
const WinChances& win_chances(const Rules& rules);

}  // namespace ofc
