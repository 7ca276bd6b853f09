// A rating: points lost a hand over decisions that were not obvious, and the level that loses as much; and habits.
#pragma once

#include "review/numbers.hpp"
#include "review/sessions.hpp"

namespace ofc::review {

// Points that a level loses a hand against the judge's network; a list of them is ordered weakest first.
struct LevelLoss {
    std::string level;
    double lost = 0.0;
};

struct Rating {
    Estimate lost;                    // points a hand, over hands with something to decide
    int decisions = 0;                // that were not obvious
    double lost_a_decision = 0.0;     // points, of these; NaN without any
    std::optional<std::string> band;  // the level that loses most nearly as much; none without hands
    std::vector<std::string> surely;  // the levels that the 95 % interval holds, weakest first
    std::vector<Estimate> course;     // of every few hands, oldest first

    template <class Self, class Visit>
    static void for_each_member(Self& self, Visit&& visit) {
        visit("lost", self.lost), visit("decisions", self.decisions);
        visit("lost_a_decision", self.lost_a_decision), visit("band", self.band), visit("surely", self.surely);
        visit("course", self.course);
    }
};

// What some decisions cost.
struct CostShare {
    int decisions = 0;
    Estimate lost;  // points a hand

    template <class Self, class Visit>
    static void for_each_member(Self& self, Visit&& visit) {
        visit("decisions", self.decisions), visit("lost", self.lost);
    }
};

// How somebody plays; rates are of hands played normally.
struct Statistics {
    int hands = 0;
    Estimate foul, fantasyland;  // entered
    Estimate royalties;          // points a hand
    Estimate result;             // equity a hand, of all hands
    Estimate adjusted;           // the same with the luck of the deals taken out, where it is known
    std::array<CostShare, kTurns> by_turn;
    std::array<CostShare, kKinds.size()> by_kind;
    GradeCounts grades{};
};

inline constexpr std::size_t kRatingBlock = 20;  // hands of a point in the course of a rating

// Of the player from whose side some hands were reviewed, oldest first.
Rating rating_of(std::span<const HandReview> reviews, std::span<const LevelLoss> levels);
Statistics statistics_of(std::span<const HandReview> reviews);
// The level whose own loss is nearest; a place in the list, which must not be empty.
std::size_t band_of(double lost, std::span<const LevelLoss> levels);

void write_statistics(Json& json, const Statistics& statistics);

}  // namespace ofc::review
