#include "game/reward.hpp"

#include <cmath>
#include <stdexcept>

#include "game/win_chances.hpp"

namespace ofc {

RewardConfig RewardConfig::preset(std::string_view name, const Rules& rules) {
    RewardConfig config;
    if (name == "points") return config;
    if (name == "equity") {
        config.fantasyland_values = ofc::fantasyland_values(rules);
    } else if (name == "shaped") {
        config.capped = true;
        config.fantasyland_entry = 15.0;
        config.foul = 20.0;
    } else if (name == "session") {
        config.points = 0.0;
        config.session = 1.0;
    } else if (name == "mixed") {
        config.points = 0.7 / rules.chips;
        config.session = 0.3;
    } else if (name == "win") {
        win_chances(rules);  // says so if there are none
        config.points = 0.0;
        config.win = 1.0;
    } else {
        throw std::invalid_argument("unknown reward '" + std::string(name) +
                                    "': choose points, equity, shaped, session, mixed or win");
    }
    return config;
}

RewardConfig RewardConfig::parse(std::string_view text, const Rules& rules) {
    // Values that are given need not have been measured.
    const bool valued = text.find("fantasyland_values=") != std::string_view::npos;
    return fields::read_preset<RewardConfig>("reward", text, [&](std::string_view name) {
        return valued && name == "equity" ? RewardConfig{} : preset(name, rules);
    });
}

std::array<double, 2> RewardConfig::hand_rewards(const HandResult& result, bool in_session, const Rules& rules) const {
    const double moved = in_session || capped ? result.chips_moved : result.points;
    double future = width_value(result.next_width[0]) - width_value(result.next_width[1]);
    if (win != 0.0) {
        const WinChances& chances = win_chances(rules);
        const std::array before{result.chips[0] - result.chips_moved, result.chips[1] + result.chips_moved};
        future +=
            win * (chances.standing(result.chips, result.next_width) - chances.standing(before, result.fantasyland));
    }
    std::array<double, 2> rewards{zero_sum(moved, future), zero_sum(-moved, -future)};
    for (int seat = 0; seat < 2; ++seat) add_own(rewards[seat], result.entered(seat), result.summaries[seat].fouled);
    return rewards;
}

double RewardConfig::in_points(const Rules& rules) const {
    return win != 0.0 ? win_chances(rules).points() / std::abs(win) : rules.chips;
}

RewardConfig RewardConfig::by_hand(const Rules& rules) const {
    if (!of_sessions()) return *this;
    const double unit = in_points(rules), chip = session * (unit / rules.chips);
    // Between equal players the chips to come cancel out, but for those of a fantasyland.
    const FantasylandValues worth = session != 0.0 ? ofc::fantasyland_values(rules) : FantasylandValues{};
    RewardConfig hand;
    hand.points = points * unit + chip;
    for (std::size_t i = 0; i < fantasyland_values.size(); ++i)
        hand.fantasyland_values[i] = fantasyland_values[i] * unit + chip * worth[i];
    hand.fantasyland_entry = fantasyland_entry * unit;
    hand.foul = foul * unit;
    hand.win = win * unit;
    hand.capped = true;
    return hand;
}

}  // namespace ofc
