// Boards completed with hindsight: all cards to come are known at once, two of every three are placed.
//
// The mean over sampled futures is what a placement is worth to a seat that plays by itself, as if it could see its
// draws. It flatters every placement, those most that can still become many things.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "game/fantasyland_values.hpp"
#include "game/information.hpp"

namespace ofc {

// What a finished board is worth to its own seat alone: royalties, and the fantasyland that it wins. The opponent's
// board counts for nothing.
struct OwnEquity {
    const Rules* rules;
    FantasylandValues fantasyland;
    double foul;  // what fouling costs

    // By the rules' own table and cost of a foul where none is given; throws a sentence for numbers that are negative
    // or none: nobody is to foul on purpose.
    OwnEquity(const Rules& played_by, const std::optional<FantasylandValues>& values, std::optional<double> foul_cost);

    double of(const BoardSummary& summary) const {
        return summary.fouled ? -foul : summary.royalty_total + width_value(fantasyland, summary.entry_width);
    }
};

struct Completion {
    Board board;
    BoardSummary summary;
    double value = 0.0;
};

// The deals to come, in the order of the turns.
class Future {
public:
    static constexpr int kMostDeals = kTurns - 1;

    explicit Future(std::span<const CardSet> deals);  // throws unless they are at most four, of three cards each

    // The best board that two cards of each deal make of this one, which has place for just these. It fouls only where
    // every such board does.
    Completion complete(const Board& board, const OwnEquity& equity) const;
    void verify(const Board& board, const Rules& rules) const;  // throws unless they go together

private:
    int deals_;
    std::array<CardSet, 1 << (kMostDeals * kTurnCards)> cards_;  // of every set of cards by their numbers, as bits
};

// What placements are worth in so many futures, the same for all: a row of values each. The deals to come are drawn
// evenly from all that the seat has not seen.
std::vector<std::vector<float>> completions(const InformationSet& information, std::span<const Placement> placements,
                                            int worlds, const OwnEquity& equity, std::uint64_t seed);

}  // namespace ofc
