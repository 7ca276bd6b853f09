#include "game/win_chances.hpp"

#include <algorithm>
#include <deque>
#include <stdexcept>

#include "game/session.hpp"

namespace ofc {
namespace {

// Pairs of widths of which the first is not the smaller one.
constexpr std::size_t kRowsOfTable = 15;
struct Entry {
    const char* rules;
    std::array<WinChances::Row, kRowsOfTable> rows;
};
constexpr Entry kMeasured[] = {
#include "game/win_chances.inc"
};

Rules without_clocks(Rules rules) {
    const Rules house;
    rules.turn_seconds = house.turn_seconds;
    rules.fantasyland_seconds = house.fantasyland_seconds;
    return rules;
}

}  // namespace

WinChances::WinChances(const Rules& rules, std::span<const Row> rows) : stop_gap_(rules.stop_gap) {
    for (const Row& row : rows)
        for (std::size_t i = 0; i < row.chances.size(); ++i) {
            const float chance = static_cast<float>(row.chances[i]) / 10000.0f;
            chances_[state(row.mine)][state(row.theirs)][i] = chance;
            chances_[state(row.theirs)][state(row.mine)][row.chances.size() - 1 - i] = 1.0f - chance;
        }
    const int quarter = std::max(1, stop_gap_ / 4);  // half way from even chips to the end
    points_ = quarter / standing({rules.chips + quarter, rules.chips - quarter}, {0, 0});
}

double WinChances::chance(const std::array<int, 2>& chips, const std::array<int, 2>& fantasyland) const {
    if (session_end(chips, fantasyland, stop_gap_) != SessionEnd::kNone) return chips[0] > chips[1] ? 1.0 : 0.0;
    const int lead = std::clamp((chips[0] - chips[1]) / 2, -kReach, kReach);
    return chances_[state(fantasyland[0])][state(fantasyland[1])][static_cast<std::size_t>(lead + kReach)];
}

const WinChances* measured_win_chances(const Rules& rules) {
    struct Known {
        Rules rules;
        WinChances chances;
    };
    static const std::deque<Known> all = [] {
        std::deque<Known> known;
        for (const Entry& entry : kMeasured) {
            const Rules its = Rules::parse(entry.rules);
            known.push_back({its, WinChances(its, entry.rows)});
        }
        return known;
    }();
    const Rules wanted = without_clocks(rules);
    for (const Known& known : all)
        if (known.rules == wanted) return &known.chances;
    return nullptr;
}

const WinChances& win_chances(const Rules& rules) {
    if (const WinChances* chances = measured_win_chances(rules)) return *chances;
    const std::string name = without_clocks(rules).name();
    throw std::invalid_argument("nobody has measured the chance to win a session under the rules '" + name +
                                "': run python experiments/win_table.py --rules \"" + name + "\" --write");
}

}  // namespace ofc
