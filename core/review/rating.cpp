#include "review/rating.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "game/turn_order.hpp"
#include "json/members.hpp"

namespace ofc::review {
namespace {

// Whether a fantasyland hand was set, with the solver's answer at hand.
bool is_setting(const Decision& decision) {
    return std::count(decision.played.begin(), decision.played.end(), '>') > kOpeningCards;
}

// Whether a decision counts for a rating: not obvious, not the clock's, not a fantasyland setting.
bool counts(const Decision& decision) { return !(decision.obvious || decision.timed_out || is_setting(decision)); }

// The seat's own decisions that pass a test: how many, and what they cost in each hand.
struct Costs {
    int decisions = 0;
    std::vector<double> by_hand;     // of every hand
    std::vector<int> found_in_hand;  // decisions
};

template <class Test>
Costs costs_of(std::span<const HandReview> reviews, Test&& test) {
    Costs costs;
    for (const HandReview& review : reviews) {
        double sum = 0.0;
        int found = 0;
        for (const Decision& each : review.decisions) {
            if (each.seat != review.seat || !test(each)) continue;
            sum += each.cost;
            ++found;
        }
        costs.decisions += found;
        costs.by_hand.push_back(sum);
        costs.found_in_hand.push_back(found);
    }
    return costs;
}

template <class Test>
CostShare share_of(std::span<const HandReview> reviews, Test&& test) {
    const Costs costs = costs_of(reviews, [&](const Decision& each) { return !each.timed_out && test(each); });
    return {costs.decisions, estimate(costs.by_hand)};
}

}  // namespace

std::size_t band_of(double lost, std::span<const LevelLoss> levels) {
    if (levels.empty()) throw std::invalid_argument("no level was given: a rating needs what each of them loses");
    const auto nearest = std::min_element(levels.begin(), levels.end(), [&](const LevelLoss& a, const LevelLoss& b) {
        return std::abs(a.lost - lost) < std::abs(b.lost - lost);
    });
    return static_cast<std::size_t>(nearest - levels.begin());
}

Rating rating_of(std::span<const HandReview> reviews, std::span<const LevelLoss> levels) {
    const Costs all = costs_of(reviews, counts);
    std::vector<double> costs;  // of hands with something to decide
    for (std::size_t i = 0; i < all.by_hand.size(); ++i)
        if (all.found_in_hand[i]) costs.push_back(all.by_hand[i]);
    Rating rating;
    rating.lost = estimate(costs);
    rating.decisions = all.decisions;
    rating.lost_a_decision = rating.lost.mean * static_cast<double>(costs.size()) / all.decisions;
    if (!costs.empty()) rating.band = levels[band_of(rating.lost.mean, levels)].level;
    if (!std::isnan(rating.lost.low))
        for (std::size_t i = band_of(rating.lost.high, levels); i <= band_of(rating.lost.low, levels); ++i)
            rating.surely.push_back(levels[i].level);
    const std::span<const double> hands(costs);
    for (std::size_t first = 0; first < hands.size(); first += kRatingBlock)
        rating.course.push_back(estimate(hands.subspan(first, std::min(kRatingBlock, hands.size() - first))));
    return rating;
}

Statistics statistics_of(std::span<const HandReview> reviews) {
    std::vector<double> fouls, entries, royalties, results, adjusted;
    for (const HandReview& review : reviews) {
        if (review.balance)
            adjusted.push_back(review.balance->result - review.balance->luck + review.balance->opponent_luck);
        if (!review.points || review.steps.empty()) continue;
        results.push_back(review.steps.back().expected);
        if (review.fantasyland[review.seat]) continue;
        fouls.push_back(review.fouled.value_or(false));
        entries.push_back(review.won_fantasyland.value_or(0) > 0);
        royalties.push_back(review.royalties.value_or(0.0));
    }
    Statistics statistics{static_cast<int>(reviews.size()),
                          estimate(fouls),
                          estimate(entries),
                          estimate(royalties),
                          estimate(results),
                          estimate(adjusted),
                          {},
                          {},
                          {}};
    for (int turn = 0; turn < kTurns; ++turn)
        statistics.by_turn[turn] =
            share_of(reviews, [&](const Decision& each) { return each.turn == turn && !is_setting(each); });
    for (std::size_t kind = 0; kind < kKinds.size(); ++kind)
        statistics.by_kind[kind] = share_of(reviews, [&](const Decision& each) { return each.kind == kKinds[kind]; });
    for (std::size_t grade = 0; grade < kGrades.size(); ++grade)
        statistics.grades[grade] =
            share_of(reviews, [&](const Decision& each) { return each.grade == kGrades[grade]; }).decisions;
    return statistics;
}

void write_statistics(Json& json, const Statistics& statistics) {
    json.object([&] {
        json.field("hands", statistics.hands);
        write_json(json["foul"], statistics.foul);
        write_json(json["fantasyland"], statistics.fantasyland);
        write_json(json["royalties"], statistics.royalties);
        write_json(json["result"], statistics.result);
        write_json(json["adjusted"], statistics.adjusted);
        write_json(json["by_turn"], statistics.by_turn);
        json["by_kind"].object([&] {
            for (std::size_t kind = 0; kind < kKinds.size(); ++kind)
                write_json(json[kKinds[kind]], statistics.by_kind[kind]);
        });
        write_grades(json["grades"], statistics.grades);
    });
}

}  // namespace ofc::review
