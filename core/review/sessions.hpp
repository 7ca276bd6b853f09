// Reviewed hands as one account, from one seat's side.
#pragma once

#include <span>

#include "json/writer.hpp"
#include "review/grades.hpp"
#include "review/report.hpp"

namespace ofc::review {

// A point of a session's chart.
struct CoursePoint {
    int hand = 0;       // place in the reviews, from 0
    std::string event;  // as of a step
    std::optional<int> turn, seat;
    double expected = 0.0;  // points won in the hands before, and what this one is worth

    template <class Self, class Visit>
    static void for_each_member(Self& self, Visit&& visit) {
        visit("hand", self.hand), visit("event", self.event), visit("turn", self.turn), visit("seat", self.seat);
        visit("expected", self.expected);
    }
};

// Where a decision is found: places from 0 in the reviews and in the hand's decisions.
struct DecisionPlace {
    int hand = 0, decision = 0;

    template <class Self, class Visit>
    static void for_each_member(Self& self, Visit&& visit) {
        visit("hand", self.hand), visit("decision", self.decision);
    }
};

// How many decisions have each grade.
using GradeCounts = std::array<int, kGrades.size()>;

struct SessionReview {
    int hands = 0;
    std::optional<double> points;    // of the seat; none where a result is not known
    double lost = 0.0;               // points that the decisions in `worst` cost
    GradeCounts grades{};            // of the seat's decisions
    std::optional<Balance> balance;  // none where somebody's cards are not known
    std::vector<CoursePoint> course;
    std::vector<DecisionPlace> worst;  // the seat's decisions that lost something, by what they cost
};

// Hands that followed each other, from one seat's side, in the order of play. A fantasyland that one hand wins is what
// the next one starts with: the account has it once, and its result is the points with what is won for the hand after
// the last.
SessionReview session_of(std::span<const HandReview> reviews);

void write_grades(Json& json, const GradeCounts& counts);
void write_session(Json& json, const SessionReview& session);

}  // namespace ofc::review
