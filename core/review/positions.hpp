// A single position looked at as a review looks at a decision.
#pragma once

#include "review/judge.hpp"

namespace ofc::review {

// Throws a sentence unless somebody is to act who can make this placement, with the engine's words.
void verify_position(const InformationSet& information, const Placement* placement);

// What a placement costs beside the best one; of the best one itself if null. Throws a sentence for a position in which
// nobody is to act and for a placement that is not legal.
Decision judged(const Judge& judge, const InformationSet& information, const Placement* placement);
// The same with the chances of every placement that was weighed, found in common worlds.
Decision analysed(const Judge& judge, const InformationSet& information, const Placement* placement);

inline constexpr int kAnalysedShown = 6;   // best placements of a position that somebody asks about
inline constexpr int kAskedWorlds = 1000;  // standard error of a chance: at most 1.6 points of a hundred
inline constexpr int kHintShown = 3;

// How the hand will end for a seat that is to act and places this; its quickest good choice if null.
Chances chances(const Judge& judge, const InformationSet& information, const Placement* placement, int worlds,
                std::uint64_t seed);
// The placements that are worth most, best first, each with its value and its chances. The values are those of a review
// of the same decision. Of a fantasyland hand there is one: the solver's.
std::vector<Option> hint(const Judge& judge, const InformationSet& information, int shown, int worlds,
                         std::uint64_t seed);

}  // namespace ofc::review
