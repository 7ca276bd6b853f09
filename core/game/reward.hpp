// What a seat is paid for a hand and for a session.
#pragma once

#include "game/board.hpp"
#include "game/fantasyland_values.hpp"

namespace ofc {

struct RewardConfig {
    double points = 1.0;
    FantasylandValues fantasyland_values{};
    double fantasyland_entry = 0.0;
    double foul = 0.0;
    bool capped = false;
    double session = 0.0;
    double win = 0.0;

    template <class Self, class Visit>
    static void for_each_field(Self& reward, Visit&& visit) {
        visit(Field{"points", "weight of the hand's points"}, reward.points);
        visit(Field{"fantasyland_values", "worth of winning 14, 15, 16, 17 cards for the next hand, zero-sum"},
              reward.fantasyland_values);
        visit(Field{"fantasyland_entry", "bonus for entering fantasyland, own seat only"}, reward.fantasyland_entry);
        visit(Field{"foul", "penalty for an own foul"}, reward.foul);
        visit(Field{"capped", "points capped by chips also in one-hand episodes"}, reward.capped);
        visit(Field{"session", "weight of (final chips - start) / start"}, reward.session);
        visit(Field{"win",
                    "weight of winning the session, 1 or -1: a hand pays what it changes in 2 * chance - 1, by the "
                    "measured table"},
              reward.win);
    }
    void verify() const { fields::verify("reward", *this); }
    std::string text() const { return fields::text(*this); }
    // A preset's name, fields as name=value, or the name and then the fields that differ: "equity foul=10".
    static RewardConfig parse(std::string_view text, const Rules& rules = *default_rules());

    bool operator==(const RewardConfig&) const = default;

    // points, equity, shaped, session, mixed, win; what is counted in stacks is counted in those of the rules. Throws a
    // sentence where equity or win is asked for and nobody has measured what it stands on under them.
    static RewardConfig preset(std::string_view name, const Rules& rules = *default_rules());
    double width_value(int width) const { return ofc::width_value(fantasyland_values, width); }
    // What one seat gains and the other loses: points that moved, and worth of a fantasyland.
    double zero_sum(double moved, double future) const { return points * moved + future; }
    // What its own board alone adds to a seat's reward.
    void add_own(double& reward, bool entered, bool fouled) const {
        if (entered) reward += fantasyland_entry;
        if (fouled) reward -= foul;
    }
    std::array<double, 2> hand_rewards(const HandResult& result, bool in_session, const Rules& rules) const;
    // Whether it pays for more than hands, so that whole sessions are to be played.
    bool of_sessions() const { return session != 0.0 || win != 0.0; }
    // What 1 of such a reward is in points: the starting stack, or where winning is paid for, so much that it is worth
    // WinChances::points().
    double in_points(const Rules& rules) const;
    // What a hand is worth in points while its session goes on: the chips it moves, and what the fantasyland it wins
    // will move later, by the session's weight; what it changes in the chance to win. Of a reward for hands, or one
    // that is in points already, the reward itself.
    RewardConfig by_hand(const Rules& rules) const;
    // What winning a fantasyland counts for with those who judge before the hand is over: where only the chance to win
    // is paid for, its worth in points.
    FantasylandValues outlook(const Rules& rules) const {
        return win != 0.0 && fantasyland_values == FantasylandValues{} ? usual_fantasyland_values(rules)
                                                                       : fantasyland_values;
    }
    double session_reward(int final_chips, const Rules& rules) const {
        return session * (final_chips - rules.chips) / static_cast<double>(rules.chips);
    }
};

}  // namespace ofc
