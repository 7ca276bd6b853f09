// What a review says: plain values that are kept as JSON, both ways. Every number of them is rounded as it is kept.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "game/fantasyland_values.hpp"

namespace ofc::review {

inline constexpr int kReviewVersion = 1;  // of the form; a kept review of another version is made again
inline constexpr std::size_t kWidths = std::tuple_size_v<FantasylandValues>;  // 14 to 17 cards

// How a placement ends, played on by the judge in both seats.
struct Chances {
    double value = 0.0, error = 0.0;            // points of equity, standard error
    double foul = 0.0;                          // 0 to 1, as all chances
    std::array<double, kWidths> fantasyland{};  // by width
    double royalties = 0.0;                     // mean points
    std::array<double, kRows> rows{};           // to win top, middle and bottom
    double opponent_foul = 0.0;
    std::array<double, kWidths> opponent_fantasyland{};
    double opponent_royalties = 0.0;

    template <class Self, class Visit>
    static void for_each_member(Self& self, Visit&& visit) {
        visit("value", self.value), visit("error", self.error), visit("foul", self.foul);
        visit("fantasyland", self.fantasyland), visit("royalties", self.royalties), visit("rows", self.rows);
        visit("opponent_foul", self.opponent_foul), visit("opponent_fantasyland", self.opponent_fantasyland);
        visit("opponent_royalties", self.opponent_royalties);
    }
};

// What the placement played changed beside the best one in the same worlds: played less best.
struct Difference {
    double value = 0.0, value_error = 0.0;  // points, the sum of the five parts; standard errors
    double by_foul = 0.0;                   // points in the worlds where one of the two fouls and the other does not
    double by_fantasyland = 0.0;            // points of fantasyland won in the others
    double by_royalties = 0.0;              // own royalties there
    double by_rows = 0.0;                   // rows and scoops there
    double by_opponent = 0.0;               // the opponent's royalties and fantasyland there
    double by_foul_error = 0.0, by_fantasyland_error = 0.0, by_royalties_error = 0.0, by_rows_error = 0.0,
           by_opponent_error = 0.0;
    double foul = 0.0, foul_error = 0.0;  // chances
    std::array<double, kWidths> fantasyland{};
    double any_fantasyland = 0.0, any_fantasyland_error = 0.0;
    double royalties = 0.0, royalties_error = 0.0;  // points
    std::array<double, kRows> rows{};

    template <class Self, class Visit>
    static void for_each_member(Self& self, Visit&& visit) {
        visit("value", self.value), visit("value_error", self.value_error);
        visit("by_foul", self.by_foul), visit("by_fantasyland", self.by_fantasyland);
        visit("by_royalties", self.by_royalties), visit("by_rows", self.by_rows);
        visit("by_opponent", self.by_opponent), visit("by_foul_error", self.by_foul_error);
        visit("by_fantasyland_error", self.by_fantasyland_error);
        visit("by_royalties_error", self.by_royalties_error), visit("by_rows_error", self.by_rows_error);
        visit("by_opponent_error", self.by_opponent_error);
        visit("foul", self.foul), visit("foul_error", self.foul_error), visit("fantasyland", self.fantasyland);
        visit("any_fantasyland", self.any_fantasyland), visit("any_fantasyland_error", self.any_fantasyland_error);
        visit("royalties", self.royalties), visit("royalties_error", self.royalties_error);
        visit("rows", self.rows);
    }
};

// A placement that was weighed.
struct Option {
    std::string placement;            // as Placement::parse reads it
    double value = 0.0, error = 0.0;  // points of equity for the seat; standard error, 0 where it is exact
    double behind = 0.0;              // the best placement's value less this one's
    double behind_error = 0.0;        // smaller, because both met the same worlds
    std::optional<Chances> chances;   // of the best placement and of the one played

    template <class Self, class Visit>
    static void for_each_member(Self& self, Visit&& visit) {
        visit("placement", self.placement), visit("value", self.value), visit("error", self.error);
        visit("behind", self.behind), visit("behind_error", self.behind_error), visit("chances", self.chances);
    }
};

// A decision and what it cost.
struct Decision {
    int seat = 0, turn = 0;
    std::string information;      // what the seat knew, as InformationSet::parse reads it
    std::string played, best;     // the best is named by a search; what it is worth was found in other worlds
    std::vector<Option> options;  // the search's best few and the one played, best first
    double cost = 0.0;            // points; right on average, and so below 0 now and then where it is too close to call
    double error = 0.0;           // standard error of the cost
    double low = 0.0, high = 0.0;     // 95 % interval of what was lost, 0 or more
    std::string grade;                // one of kGrades
    std::optional<std::string> kind;  // one of kKinds; none where the best was played
    bool obvious = false, timed_out = false;
    std::optional<Difference> difference;  // none where the best was played

    template <class Self, class Visit>
    static void for_each_member(Self& self, Visit&& visit) {
        visit("seat", self.seat), visit("turn", self.turn), visit("information", self.information);
        visit("played", self.played), visit("best", self.best), visit("options", self.options);
        visit("cost", self.cost), visit("error", self.error), visit("low", self.low), visit("high", self.high);
        visit("grade", self.grade), visit("kind", self.kind), visit("obvious", self.obvious);
        visit("timed_out", self.timed_out), visit("difference", self.difference);
    }
};

// A point of the chart: what the hand is worth to the seat of the review after an event.
struct Step {
    std::string event;              // start, deal, placement, end
    std::optional<int> turn, seat;  // whose event it is
    double expected = 0.0;          // points of equity; at the end those of the result
    std::optional<double> luck;     // of a deal, for the seat of the event
    std::optional<double> cost;     // of a placement, for the seat of the event

    template <class Self, class Visit>
    static void for_each_member(Self& self, Visit&& visit) {
        visit("event", self.event), visit("turn", self.turn), visit("seat", self.seat);
        visit("expected", self.expected), visit("luck", self.luck), visit("cost", self.cost);
    }
};

// Luck and skill apart, from one seat's side; points of equity.
//
// start + luck - opponent_luck - cost + opponent_cost + unexplained = result, to the last digit.
struct Balance {
    double start = 0.0;  // what the seat was worth before any card was dealt
    double luck = 0.0, opponent_luck = 0.0, cost = 0.0, opponent_cost = 0.0;
    double unexplained = 0.0;  // what the judge cannot explain
    double result = 0.0;

    template <class Self, class Visit>
    static void for_each_member(Self& self, Visit&& visit) {
        visit("start", self.start), visit("luck", self.luck), visit("opponent_luck", self.opponent_luck);
        visit("cost", self.cost), visit("opponent_cost", self.opponent_cost);
        visit("unexplained", self.unexplained), visit("result", self.result);
    }
};

// How a board came to be fouled.
struct Foul {
    int seat = 0;
    int certain_turn = 0;          // from when on no card could save it
    std::string certain_by;        // "placement" or "deal" of that turn
    std::optional<int> lost_turn;  // the decision that lost it; none: the cards did

    template <class Self, class Visit>
    static void for_each_member(Self& self, Visit&& visit) {
        visit("seat", self.seat), visit("certain_turn", self.certain_turn);
        visit("certain_by", self.certain_by), visit("lost_turn", self.lost_turn);
    }
};

// How a hand ended, by seat.
struct Outcome {
    std::array<int, 2> points{}, next_fantasyland{};
    std::array<bool, 2> fouled{};
    std::array<int, 2> royalties{};

    template <class Self, class Visit>
    static void for_each_member(Self& self, Visit&& visit) {
        visit("points", self.points), visit("next_fantasyland", self.next_fantasyland);
        visit("fouled", self.fouled), visit("royalties", self.royalties);
    }
};

// A hand looked at again, from one seat's side.
struct HandReview {
    int version = kReviewVersion;
    std::string judge, rules;
    int seat = 0, button = 0;
    std::array<int, 2> fantasyland{};  // widths by seat
    std::vector<Decision> decisions;   // in the order of play; of one seat where the other's cards are not known
    std::vector<Step> steps;
    std::optional<Balance> balance;  // none where somebody's cards are not known
    std::vector<Foul> fouls;
    std::optional<double> points;  // of the seat; none where the result is not known, as the next ones
    std::optional<int> won_fantasyland;
    std::optional<bool> fouled;
    std::optional<double> royalties;

    template <class Self, class Visit>
    static void for_each_member(Self& self, Visit&& visit) {
        visit("version", self.version), visit("judge", self.judge), visit("rules", self.rules);
        visit("seat", self.seat), visit("button", self.button), visit("fantasyland", self.fantasyland);
        visit("decisions", self.decisions), visit("steps", self.steps), visit("balance", self.balance);
        visit("fouls", self.fouls), visit("points", self.points);
        visit("won_fantasyland", self.won_fantasyland), visit("fouled", self.fouled);
        visit("royalties", self.royalties);
    }
};

}  // namespace ofc::review
