// The value network: what a board is worth after a placement and before the next deal, natively.
//
// Its inputs are features of what a seat sees. Rows enter separately, so that all placements of a turn share the
// first layer's sums: a placement costs three vector additions and the small layers above.
#pragma once

#include "game/information.hpp"
#include "game/reward.hpp"
#include "players/heuristic.hpp"

namespace ofc {

// ---- Features -------------------------------------------------------------------------------------------------

inline constexpr int kRowFeatures =
    52 + 20 + 2 + 6 + 9 + 13 + 2 + 6;         // ranks, suits, jokers, free, category, rank, flush, straight
inline constexpr int kOrderFeatures = 2 * 6;  // top v middle, middle v bottom: lower, equal, higher; open or complete
inline constexpr int kDoneFeatures = 1 + 5 + 12;  // finished board: foul, fantasyland won, royalties in steps of two
inline constexpr int kMineAt = 0;
inline constexpr int kOpponentAt = kMineAt + 3 * kRowFeatures + kOrderFeatures + kDoneFeatures;
inline constexpr int kUnseenAt = kOpponentAt + 3 * kRowFeatures + kOrderFeatures + kDoneFeatures;
inline constexpr int kUnseenFeatures =
    13 * 5 + 4 * 14 + 3;  // how many of each rank, of each suit, of the jokers are still there
inline constexpr int kTableAt = kUnseenAt + kUnseenFeatures;
inline constexpr int kTableFeatures = 5 + 1 + 1 + 4;  // turn, button, opponent ahead, its fantasyland
inline constexpr int kOutsAt = kTableAt + kTableFeatures;
// Unseen cards that would improve a row: to pair it, from pair to trips, to quads, to a flush by cards needed, to a
// straight by cards needed; on top instead of the last two those for a pair of queens, kings or aces.
inline constexpr int kOutsFeatures = 10 + 5 + 3 + 4 * 5 + 4 * 5;
// How two neighbouring rows may come into order and stay there, by unseen cards, in ten steps of their number:
// those that lift the lower row to the upper one's best reading, to its least reading (lower row full, or with one or
// two free slots), and those that the upper row can take without passing the lower one (one or two free slots, the
// lower row open or full).
inline constexpr int kRepairFeatures = 21 + 21 + 40;
inline constexpr int kRepairsAt = kOutsAt + 6 * kOutsFeatures;  // mine: top v middle, middle v bottom; the opponent's
// What a row has made is worth: royalties of at least so many, fantasyland of each width.
inline constexpr std::array<int, 8> kRoyaltySteps{1, 3, 5, 7, 8, 9, 10, 15};
inline constexpr int kWorthFeatures = 8 + 4;
inline constexpr int kWorthAt = kRepairsAt + 4 * kRepairFeatures;  // of my rows, then the opponent's
// Each of my rows against the opponent's: lower, equal, higher; both open, mine full, the opponent's full, both full.
inline constexpr int kDuelFeatures = 3 * 4;
inline constexpr int kDuelsAt = kWorthAt + 6 * kWorthFeatures;
inline constexpr int kChipsAt = kDuelsAt + 3 * kDuelFeatures;
inline constexpr std::array<int, 8> kShortStacks{10, 20, 30, 40, 60, 80, 110, 150};  // chips below each of these
inline constexpr std::array<int, 4> kLeads{20, 40, 80, 160};                         // ahead by so much, or behind
inline constexpr int kChipFeatures =
    2 * 8 + 2 * 4;  // my stack, the opponent's, lead, arrears: none at equal full stacks
inline constexpr int kFeatures = kChipsAt + kChipFeatures;
inline constexpr int kMostActive = 256;

// What a seat sees with nothing in hand, in 64 bytes.
struct PackedState {
    std::array<CardSet, 3> mine{}, opponent{};
    CardSet unseen = 0;
    std::uint64_t table = 0;  // turn | button << 8 | opponent's fantasyland << 16 | chips << 32 | opponent's << 48
    bool operator==(const PackedState&) const = default;
};
static_assert(sizeof(PackedState) == 64);

PackedState pack_state(const InformationSet& information);  // of a seat that has just placed
PackedState pack_after(const InformationSet& before, const Placement& placement);
// The active inputs, each 1, of a state.
int list_features(const PackedState& state, const Rules& rules, std::uint16_t* out);
// The same state with suits and jokers renamed: one of 48.
PackedState relabel(const PackedState& state, int symmetry);

// ---- Network --------------------------------------------------------------------------------------------------

// Outputs: value in points of equity, chance to foul, chance of fantasyland, royalties, preference (a policy logit).
enum Head : int { kValue, kFoul, kFantasyland, kRoyalties, kPreference };
inline constexpr int kHeads = 5;

class Network {
public:
    // Weights as torch keeps them: first (hidden, kFeatures), second (second, hidden), heads (kHeads, second), with
    // biases.
    Network(std::vector<float> first, std::vector<float> first_bias, std::vector<float> second,
            std::vector<float> second_bias, std::vector<float> heads, std::vector<float> heads_bias,
            const Rules& rules = *default_rules());

    int hidden() const { return hidden_; }
    const Rules& rules() const { return rules_; }
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
    void sum_first(std::initializer_list<const float*> starts, const std::uint16_t* features, int n, float* sum) const;
    template <int padded>
    void sum_second(const float* sum, float* above) const;
    Output finish(const float* sum) const;  // the layers above

    int hidden_, second_;
    Rules rules_;
    // Aligned for whole vectors of 16 numbers; the second layer is padded to a multiple of 16 units.
    struct alignas(64) Lane {
        float at[16];
    };
    std::vector<Lane> first_;           // by feature: hidden_ numbers each
    std::vector<Lane> second_weights_;  // by hidden unit: padded_ numbers each
    std::vector<Lane> heads_;           // by unit of the second layer: the heads, padded to 8 numbers
    int padded_;
    std::vector<float> first_bias_, second_bias_, heads_bias_;
};

}  // namespace ofc
