// A placement and what a search or a player found about it.
#pragma once

#include "game/fields.hpp"
#include "game/information.hpp"

namespace ofc {

struct Candidate {
    Placement placement;
    double mean = 0.0, error = 0.0;
    std::int64_t rollouts = 0;
    double foul = 0.0, fantasyland = 0.0, royalties = 0.0;
    double prior = 0.0;
    bool too_close = false;

    // NaN where something is not known.
    template <class Self, class Visit>
    static void for_each_field(Self& candidate, Visit&& visit) {
        visit(Field{"mean", "value in points for the seat to act"}, candidate.mean);
        visit(Field{"error", "standard error of the mean, 0 where it is exact"}, candidate.error);
        visit(Field{"rollouts", "simulations or playouts behind it; 0 where none was needed"}, candidate.rollouts);
        visit(Field{"foul", "chance that its own board ends fouled"}, candidate.foul);
        visit(Field{"fantasyland", "chance that its own board wins fantasyland"}, candidate.fantasyland);
        visit(Field{"royalties", "mean royalties of its own board, points"}, candidate.royalties);
        visit(Field{"prior", "what it was worth before any simulation, points"}, candidate.prior);
        visit(
            Field{"too_close", "left the race early with a higher mean than the one that is played: too close to call"},
            candidate.too_close);
    }
    static Candidate unknown(const Placement& placement);  // a placement of which nothing is known
    std::string text() const;                              // "Ah>t Kd>b 2c>x mean=1.5 error=0.2 ..."
    static Candidate parse(std::string_view text);
};

// Leaves the placement that is played in the first place and lets the others follow by their means, those without one
// last; a mean above the first one's is marked as too close to call.
void order_by_mean(std::vector<Candidate>& candidates);

}  // namespace ofc
