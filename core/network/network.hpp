// The value network: what a board is worth after a placement and before the next deal, natively.
//
// Its inputs are features of what a seat sees. Rows enter separately, so that all placements of a turn share the
// first layer's sums: a placement costs three vector additions and the small layers above. The first layer is kept and
// summed up in 16 bits, each unit at a scale of its own, which the layer above takes back; its sums are exact whole
// numbers, so they do not depend on the order.
#pragma once

#include "network/afterstate.hpp"
#include "network/kernels.hpp"
#include "players/heuristic.hpp"

namespace ofc {

// Outputs: value in points of equity, chance to foul, chance of fantasyland, royalties, preference (a policy logit).
enum Head : int { kValue, kFoul, kFantasyland, kRoyalties, kPreference };
inline constexpr int kHeads = 5;

class Network {
public:
    // Weights as torch keeps them: first (hidden, kFeatures), second (second, hidden), heads (kHeads, second), with
    // biases. The layers above the first may come kStages times, one below the other: each stage of a hand has its own.
    Network(std::vector<float> first, std::vector<float> first_bias, std::vector<float> second,
            std::vector<float> second_bias, std::vector<float> heads, std::vector<float> heads_bias,
            const Rules& rules = *default_rules());

    int hidden() const { return hidden_; }
    const Rules& rules() const { return *rules_; }
    using Output = std::array<float, kHeads>;
    Output evaluate(const PackedState& state) const;

    struct Choice {
        Placement placement;
        Output output;
    };
    static float chance(float logit);
    // Every placement of the turn; of an opening only the `width` best by the heuristic. Returns how many. Foul and
    // fantasyland are logits here: few who judge many placements want their chance().
    int evaluate_placements(const InformationSet& information, Choice* out, const Heuristic& heuristic,
                            int width = 32) const;

private:
    // The first layer: sums that are known already, and the weights of these inputs.
    using Sum = std::int16_t;
    void sum_first(std::initializer_list<const Sum*> known, const std::uint16_t* features, int n, Sum* sum) const;
    Output finish(const Sum* sum, int set) const;  // the layers above
    // Which set of them judges the state.
    int set_of(const PackedState& state) const { return sets_ == 1 ? 0 : stage_of(state); }

    const Kernels& kernels_;
    int hidden_, sets_, second_;
    const Rules* rules_;  // that it was trained for
    // Aligned for whole vectors; the second layer is padded to a multiple of 16 units.
    struct alignas(64) Lane {
        float at[16];
    };
    struct alignas(64) SumLane {
        Sum at[32];
    };
    std::vector<SumLane> first_;        // by feature: hidden_ numbers each
    std::vector<SumLane> first_bias_;   // in the units' scales as well
    std::vector<Lane> second_weights_;  // by set and hidden unit: padded_ numbers each
    std::vector<Lane> heads_;           // by set and unit of the second layer: the heads, padded to 8 numbers
    int padded_;
    std::vector<float> second_bias_, heads_bias_;
};

}  // namespace ofc
