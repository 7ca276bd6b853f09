// Luck of the deal: what the cards that a seat was dealt are worth above those that it might have been dealt.
//
// The cards that might have come are those which nobody had been dealt before, whoever may know it: discards and the
// cards of a fantasyland are out of it. What cards are worth is one fixed function of the position before the deal and
// of the cards, so luck has mean 0 whatever the function says and whoever plays; a good one takes more noise away.
#pragma once

#include "network/network_search.hpp"

namespace ofc {

struct LuckSettings {
    int redeals = 24;
    int opening_width = 32;

    template <class Self, class Visit>
    static void for_each_field(Self& settings, Visit&& visit) {
        visit(Field{"redeals", "deals that the one which came is compared with; more take more noise away, slower", 1,
                    100000},
              settings.redeals);
        visit(opening_width_field(), settings.opening_width);
    }
};

// A deal and those that might have come instead, each by what it is worth to the seat that gets it.
struct JudgedDeal {
    double actual = 0.0;
    std::vector<double> others;
    double luck() const;
};

class LuckJudge {
public:
    LuckJudge(const LuckSettings& settings, std::shared_ptr<const Network> network, const RewardConfig& reward);

    // The deals that might have come instead of the cards which the seat to act holds; throws a sentence where those
    // are not a whole deal.
    std::vector<CardSet> redeals(const Hand& hand, std::uint64_t seed) const;
    JudgedDeal judge(const Hand& hand, std::uint64_t seed) const;
    // What a seat's best placement of these cards is worth to it: by the network, on the last turn solved exactly, in
    // fantasyland by the solver.
    double worth(const Hand& hand, CardSet cards) const;
    const Rules& rules() const { return heuristic_.rules(); }

private:
    LuckSettings settings_;
    std::shared_ptr<const Network> network_;
    Heuristic heuristic_;
};

}  // namespace ofc
