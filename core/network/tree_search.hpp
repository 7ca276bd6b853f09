// A tree of own decisions, searched with the network.
//
// A node is a decision of the searcher: what it knows then, its information set. Below a placement stand its outcomes,
// one for each world dealt at the node: the opponent draws and answers, the searcher draws, and there is its next
// decision or, solved, the end of the hand. Outcomes are few at first and widen with the visits; until a new one is due
// those there are gone into again, the least visited first and never by value, so that decisions are met again. The
// k-th outcomes of all placements of a node come from the same world and the same random numbers: placements are
// compared by the worlds that both have met.
//
// The value of a placement is the mean of its outcomes as they stand, not of the simulations that passed through: what
// was thought early or tried out of curiosity does not stay in it. The value of a decision is its best placement's.
// Every placement is tried without end (the policy's term grows with the visits) and outcomes widen without end, so
// both come to the true values against this opponent and this belief.
#pragma once

#include "network/network_search.hpp"

namespace ofc {

std::vector<Candidate> search_tree(const NetworkSearch& search, const InformationSet& information, const Belief& belief,
                                   std::uint64_t seed, SearchStatistics& statistics);

// Brings a placement drawn by visits ^ (1 / temperature) to the front.
void draw_first(std::vector<Candidate>& candidates, double temperature, Rng& rng);

}  // namespace ofc
