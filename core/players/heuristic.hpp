// Hand-written placement sense: what a board is worth while it is being built.
//
// Each row gets an outlook (chance of each category, from its cards, free slots and the cards still unseen); the
// three outlooks give expected royalties, the chance of fantasyland and the risk of a foul.
#pragma once

#include "game/information.hpp"
#include "game/reward.hpp"

namespace ofc {

// Found by hill climbing over duplicate deals; experiments/tune_heuristic.py goes on from here.
struct HeuristicWeights {
    float contention = 0.603f;
    float new_pair = 0.149f;
    float steering = 0.089f;
    float spread = 0.947f;
    float foul_cost = 1.91f;
    float strength = 0.22f;
    float fantasyland = 0.201f;

    template <class Self, class Visit>
    static void for_each_field(Self& weights, Visit&& visit) {
        visit(Field{"contention", "chance that a needed card, once seen, is free to be used, for each card needed"},
              weights.contention);
        visit(Field{"new_pair", "chance a turn of pairing cards that are not there yet"}, weights.new_pair);
        visit(Field{"steering", "how far a free slot lets a row be steered away from a foul, in categories"},
              weights.steering);
        visit(Field{"spread", "uncertainty of every comparison of rows, in categories"}, weights.spread);
        visit(Field{"foul_cost", "points lost by a foul beside the royalties"}, weights.foul_cost);
        visit(Field{"strength", "points a category of row strength"}, weights.strength);
        visit(Field{"fantasyland", "share of the fantasyland value that counts"}, weights.fantasyland);
    }
};

// What a seat knows when it places: its board, its hand, and what it cannot see.
struct Position {
    Board board;
    CardSet in_hand = 0;
    CardSet unseen = 0;
    int opening_step = 0;
};

Position position_of(const InformationSet& information);
inline Position position_of(const Hand& hand, int seat) { return position_of(information_set(hand, seat)); }

class Heuristic {
public:
    explicit Heuristic(const RewardConfig& reward = RewardConfig::preset("equity"),
                       const Rules& rules = *default_rules(), const HeuristicWeights& weights = {})
        : reward_(reward), outlook_(reward.outlook(rules)), rules_(intern(rules)), weights_(weights) {}

    struct Choice {
        Placement placement;
        float value;
    };
    // Every placement of the turn with its value in points, in a fixed order; returns how many (at most 232). A
    // careless look judges each row for itself, a full one too, and takes every card that is not its own for one to
    // come.
    int evaluate(const Position& position, Choice* out, bool careless = false) const;
    Placement best(const Position& position) const;
    // Value of a board after a placement; `turns_left` more turns are to come.
    float value(const Board& board, CardSet unseen, int turns_left) const;

    const RewardConfig& reward() const { return reward_; }
    const Rules& rules() const { return *rules_; }

private:
    RewardConfig reward_;
    FantasylandValues outlook_;
    const Rules* rules_;
    HeuristicWeights weights_;
};

}  // namespace ofc
