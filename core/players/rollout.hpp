// Playing a world to its end, and the leaf evaluators built on that.
#pragma once

#include <memory>

#include "players/heuristic.hpp"
#include "solvers/last_turn.hpp"

namespace ofc {

enum class RolloutPolicy { kRandom, kHeuristic };

// Plays both seats to the end of the hand.
class Rollout {
public:
    // With `exact_endings` the last placement of a hand is the best one against the finished board opposite.
    Rollout(RolloutPolicy policy, const Heuristic& heuristic, bool exact_endings)
        : policy_(policy), heuristic_(heuristic), exact_endings_(exact_endings) {}

    void play(Hand& world, Rng& rng) const;
    Placement choose(const Hand& world, Rng& rng) const;
    const Heuristic& heuristic() const { return heuristic_; }

private:
    RolloutPolicy policy_;
    Heuristic heuristic_;
    bool exact_endings_;
};

Placement random_placement(const Hand& hand, Rng& rng);

// What a finished or judged world is worth to seat 0, and how seat 0's board ended.
struct Leaf {
    double value = 0.0;
    bool fouled = false;
    bool fantasyland = false;
    int royalties = 0;
};

Leaf score_leaf(const Hand& finished, const RewardConfig& reward);

// Judges a position inside a search. Interchangeable: rollout, beam, network.
class LeafEvaluator {
public:
    virtual ~LeafEvaluator() = default;
    virtual Leaf evaluate(Hand world, Rng& rng) const = 0;
};

class RolloutEvaluator final : public LeafEvaluator {
public:
    explicit RolloutEvaluator(const Rollout& rollout) : rollout_(rollout) {}
    Leaf evaluate(Hand world, Rng& rng) const override;

private:
    Rollout rollout_;
};

// Each seat looks `depth` turns ahead at the cards it will get in this world, keeping the `width` best boards, and
// the heuristic places what is left.
class BeamEvaluator final : public LeafEvaluator {
public:
    BeamEvaluator(const Rollout& rollout, int width = 7, int depth = 3)
        : rollout_(rollout), width_(width), depth_(depth) {}
    Leaf evaluate(Hand world, Rng& rng) const override;

private:
    Placement first_of_beam(const Hand& world) const;

    Rollout rollout_;
    int width_, depth_;
};

// Who plays a world on below a search.
enum class LeafKind { kRandom, kHeuristic, kBeam };
inline constexpr std::array<const char*, 3> kLeafNames{"random", "heuristic", "beam"};
inline Field leaf_field() {
    return {.name = "leaf", .help = "who plays a world on; beam looks three turns ahead first", .choices = kLeafNames};
}
std::shared_ptr<const LeafEvaluator> make_leaf(LeafKind kind, const Heuristic& heuristic, bool exact_endings);

}  // namespace ofc
