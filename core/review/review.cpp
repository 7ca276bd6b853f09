#include "review/review.hpp"

#include <algorithm>
#include <stdexcept>

#include "json/members.hpp"
#include "review/numbers.hpp"

namespace ofc::review {
namespace {

// Points, and the worth of the fantasyland that was won less the opponent's.
double equity_of(const Judge& judge, const Outcome& outcome, int seat) {
    const RewardConfig& reward = judge.reward();
    const double future =
        reward.width_value(outcome.next_fantasyland[seat]) - reward.width_value(outcome.next_fantasyland[1 - seat]);
    return reward.zero_sum(outcome.points[seat], future);
}

// Every part as it is kept, so that the sum is exact.
Balance balance_of(int seat, double start, std::span<const Decision> decisions, std::span<const double> lucks,
                   double result) {
    std::array<double, 2> luck{}, cost{};
    for (std::size_t i = 0; i < decisions.size(); ++i) {
        luck[decisions[i].seat] += rounded(lucks[i]);
        cost[decisions[i].seat] += decisions[i].cost;
    }
    Balance balance{
        start, rounded(luck[seat]), rounded(luck[1 - seat]), rounded(cost[seat]), rounded(cost[1 - seat]), 0.0, result};
    const double explained = start + balance.luck - balance.opponent_luck - balance.cost + balance.opponent_cost;
    balance.unexplained = rounded(result - explained);
    return balance;
}

double value_of(const Decision& decision, std::string_view placement) {
    for (const Option& option : decision.options)
        if (option.placement == placement) return option.value;
    throw std::invalid_argument("a decision does not weigh what it played: " + decision.played);
}

// What the hand was worth to the seat as it went on; each value is that of the seat which knew most.
std::vector<Step> steps_of(int seat, std::optional<double> start, std::span<const Decision> decisions,
                           const std::optional<std::vector<double>>& lucks, std::optional<double> result) {
    std::vector<Step> steps;
    if (start) steps.push_back({"start", {}, {}, *start, {}, {}});
    for (std::size_t i = 0; i < decisions.size(); ++i) {
        const Decision& each = decisions[i];
        const double sign = each.seat == seat ? 1.0 : -1.0;
        const std::optional<double> luck = lucks ? std::optional(rounded((*lucks)[i])) : std::nullopt;
        steps.push_back({"deal", each.turn, each.seat, rounded(sign * each.options.front().value), luck, {}});
        steps.push_back(
            {"placement", each.turn, each.seat, rounded(sign * value_of(each, each.played)), {}, each.cost});
    }
    if (result) steps.push_back({"end", {}, {}, *result, {}, {}});
    return steps;
}

void tell_outcome(HandReview& review, const Outcome& outcome) {
    const int seat = review.seat;
    review.points = outcome.points[seat];
    review.won_fantasyland = outcome.next_fantasyland[seat];
    review.fouled = outcome.fouled[seat];
    review.royalties = outcome.royalties[seat];
}

void verify_seat(int seat) {
    if (seat != 0 && seat != 1)
        throw std::invalid_argument("there is no seat " + std::to_string(seat) + ": use 0 or 1");
}

void verify_width(int width) {
    if (width && (width < kSmallestFantasyland || width > kLargestFantasyland))
        throw std::invalid_argument("there is no fantasyland of " + std::to_string(width) + " cards");
}

void verify_decision(const Decision& decision) {
    verify_seat(decision.seat);
    if (decision.options.empty()) throw std::invalid_argument("a decision without options was not judged");
}

}  // namespace

HandReview read_review(std::string_view text) {
    auto review = parse_json<HandReview>(text, "review");
    if (review.version != kReviewVersion)
        throw std::invalid_argument("the review is of version " + std::to_string(review.version) + ", not " +
                                    std::to_string(kReviewVersion) + ": review the hand again");
    verify_seat(review.seat);
    return review;
}

Decision read_decision(std::string_view text) {
    auto decision = parse_json<Decision>(text, "decision");
    verify_decision(decision);
    return decision;
}

Outcome outcome_of(const HandResult& result) {
    const auto& boards = result.summaries;
    return {{result.points, -result.points},
            result.next_width,
            {boards[0].fouled, boards[1].fouled},
            {boards[0].royalty_total, boards[1].royalty_total}};
}

HandReview told(const Judge& judge, const ReviewedHand& hand, int seat, std::vector<Decision> decisions) {
    verify_seat(seat);
    verify_seat(hand.button);
    if (hand.lucks && hand.lucks->size() != decisions.size())
        throw std::invalid_argument(std::to_string(decisions.size()) + " decisions have as many deals, not " +
                                    std::to_string(hand.lucks->size()));
    for (const Decision& each : decisions) verify_decision(each);
    for (const int width : hand.fantasyland) verify_width(width);
    if (hand.outcome)
        for (const int width : hand.outcome->next_fantasyland) verify_width(width);
    HandReview review;
    review.judge = judge.name();
    review.rules = hand.rules;
    review.seat = seat;
    review.button = hand.button;
    review.fantasyland = hand.fantasyland;
    std::optional<double> result, start;
    if (hand.outcome) {
        result = rounded(equity_of(judge, *hand.outcome, seat));
        tell_outcome(review, *hand.outcome);
    }
    if (hand.lucks && result && !decisions.empty()) {
        const int first = first_to_act(hand.button, judge.rules());
        const double worth = judge.start_value({hand.fantasyland[first], hand.fantasyland[1 - first]});
        start = rounded(seat == first ? worth : -worth);
        review.balance = balance_of(seat, *start, decisions, *hand.lucks, *result);
    }
    review.steps = steps_of(seat, start, decisions, hand.lucks, result);
    for (int who = 0; who < 2; ++who) {
        if (hand.fantasyland[who]) continue;
        std::vector<Decision> own;
        std::copy_if(decisions.begin(), decisions.end(), std::back_inserter(own),
                     [&](const Decision& each) { return each.seat == who; });
        if (const auto foul = foul_of(own)) review.fouls.push_back(*foul);
    }
    review.decisions = std::move(decisions);
    return review;
}

HandReview from_side(HandReview review, int seat, const Outcome& outcome) {
    verify_seat(seat);
    if (review.seat == seat) return review;
    review.seat = seat;
    for (Step& step : review.steps) step.expected = rounded(-step.expected);
    if (auto& balance = review.balance) {
        std::swap(balance->luck, balance->opponent_luck);
        std::swap(balance->cost, balance->opponent_cost);
        for (double* number : {&balance->start, &balance->unexplained, &balance->result}) *number = rounded(-*number);
    }
    tell_outcome(review, outcome);
    return review;
}

}  // namespace ofc::review
