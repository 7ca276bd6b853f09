// The review of a finished hand: its judged decisions put together, luck and skill apart, from one seat's side.
#pragma once

#include "review/judge.hpp"

namespace ofc::review {

// What is known of a hand beside its decisions.
struct ReviewedHand {
    std::string rules;  // their name
    int button = 0;
    std::array<int, 2> fantasyland{};          // widths by seat
    std::optional<std::vector<double>> lucks;  // of the deal before each decision; none where cards are not known
    std::optional<Outcome> outcome;

    template <class Self, class Visit>
    static void for_each_member(Self& self, Visit&& visit) {
        visit("rules", self.rules), visit("button", self.button), visit("fantasyland", self.fantasyland);
        visit("lucks", self.lucks), visit("outcome", self.outcome);
    }
};

// From JSON; throws a sentence for a review of another version, or one that was never made.
HandReview read_review(std::string_view text);
Decision read_decision(std::string_view text);

Outcome outcome_of(const HandResult& result);
// `decisions` in the order of play, all of the hand, or all of one seat where the other's cards are not known.
HandReview told(const Judge& judge, const ReviewedHand& hand, int seat, std::vector<Decision> decisions);
// A review as the seat sees it; `outcome` is that of its hand. The decisions are the same.
HandReview from_side(HandReview review, int seat, const Outcome& outcome);

// How a seat's board came to be fouled, from its decisions of a hand played normally; none if it is not.
std::optional<Foul> foul_of(std::span<const Decision> decisions);

}  // namespace ofc::review
