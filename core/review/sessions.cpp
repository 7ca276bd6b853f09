#include "review/sessions.hpp"

#include <algorithm>

#include "json/members.hpp"
#include "review/numbers.hpp"

namespace ofc::review {
namespace {

std::optional<Balance> balance_of(std::span<const HandReview> reviews) {
    if (reviews.empty()) return std::nullopt;
    Balance sum;
    double handed_on = 0.0;
    for (const HandReview& review : reviews) {
        if (!review.balance) return std::nullopt;
        const Balance& each = *review.balance;
        if (&review != &reviews.back()) handed_on += each.result - review.points.value_or(0.0);
        sum.start += each.start;
        sum.luck += each.luck;
        sum.opponent_luck += each.opponent_luck;
        sum.cost += each.cost;
        sum.opponent_cost += each.opponent_cost;
        sum.result += each.result;
    }
    sum.start -= handed_on;
    sum.result -= handed_on;
    Balance::for_each_member(sum, [](const char*, double& part) { part = rounded(part); });
    sum.unexplained = rounded(sum.result - (sum.start + sum.luck - sum.opponent_luck - sum.cost) - sum.opponent_cost);
    return sum;
}

}  // namespace

SessionReview session_of(std::span<const HandReview> reviews) {
    SessionReview session;
    session.hands = static_cast<int>(reviews.size());
    session.points = 0.0;
    double points = 0.0, lost = 0.0;  // of the hands before
    const auto cost_at = [&](const DecisionPlace& place) {
        return reviews[static_cast<std::size_t>(place.hand)].decisions[static_cast<std::size_t>(place.decision)].cost;
    };
    for (int hand = 0; hand < session.hands; ++hand) {
        const HandReview& review = reviews[static_cast<std::size_t>(hand)];
        for (int place = 0; place < static_cast<int>(review.decisions.size()); ++place) {
            const Decision& each = review.decisions[static_cast<std::size_t>(place)];
            if (each.seat != review.seat) continue;
            session.grades[grade_number(each.grade)] += 1;
            if (lost_nothing(each.grade)) continue;
            session.worst.push_back({hand, place});
            lost += each.cost;
        }
        for (const Step& step : review.steps)
            session.course.push_back({hand, step.event, step.turn, step.seat, rounded(points + step.expected)});
        points += review.points.value_or(0.0);
        if (!review.points) session.points.reset();
    }
    if (session.points) session.points = points;
    session.lost = rounded(lost);
    std::stable_sort(session.worst.begin(), session.worst.end(),
                     [&](const DecisionPlace& a, const DecisionPlace& b) { return cost_at(a) > cost_at(b); });
    session.balance = balance_of(reviews);
    return session;
}

void write_grades(Json& json, const GradeCounts& counts) {
    json.object([&] {
        for (std::size_t i = 0; i < kGrades.size(); ++i) json.field(kGrades[i], counts[i]);
    });
}

void write_session(Json& json, const SessionReview& session) {
    json.object([&] {
        json.field("hands", session.hands).field("points", session.points).field("lost", session.lost);
        write_grades(json["grades"], session.grades);
        write_json(json["balance"], session.balance);
        write_json(json["course"], session.course);
        write_json(json["worst"], session.worst);
    });
}

}  // namespace ofc::review
