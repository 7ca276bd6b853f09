// What answers to drills are worth.
#pragma once

#include "drills/questions.hpp"
#include "review/judge.hpp"

namespace ofc {

// Answers to "foul or not": chances from … to …; the last one is a foul that no card can prevent.
struct Band {
    double from, to;
};
inline constexpr std::array<Band, 5> kFoulBands{{{0.0, 0.1}, {0.1, 0.3}, {0.3, 0.6}, {0.6, 1.0}, {1.0, 1.0}}};

// The chance of a foul that was found, if the judge plays on in both seats.
struct FoulChance {
    double chance = 1.0, low = 1.0, high = 1.0;  // with its 95 % interval
    bool certain = true;                         // no card can save the board
    std::vector<int> bands;                      // the right answers: several where the interval lies in two
    std::optional<double> off;  // by how much the answer's band misses the chance; none where none was given

    template <class Self, class Visit>
    static void for_each_member(Self& self, Visit&& visit) {
        visit("chance", self.chance), visit("low", self.low), visit("high", self.high);
        visit("certain", self.certain), visit("bands", self.bands), visit("off", self.off);
    }
};

// An answer beside the best one.
struct JudgedAnswer {
    bool right = false;
    std::optional<double> cost;      // points lost, 0 or more; none of a chance, and where nothing was answered
    std::optional<FoulChance> foul;  // of a drill that asks for a chance
    bool comes_back = false;         // whether it was so bad that the position comes back by itself
    review::Decision decision;       // of the placement that was answered or asked about; else of the best one

    template <class Self, class Visit>
    static void for_each_member(Self& self, Visit&& visit) {
        visit("right", self.right), visit("cost", self.cost), visit("foul", self.foul);
        visit("comes_back", self.comes_back), visit("decision", self.decision);
    }
};

// What an answer is worth: a placement, or the number of a band; neither for somebody who has given up or run out of
// time. Throws a sentence for the wrong one of them, and for a placement that the seat cannot make.
JudgedAnswer judge_answer(const review::Judge& judge, const Drill& drill, const std::optional<Placement>& placement,
                          const std::optional<int>& band);

}  // namespace ofc
