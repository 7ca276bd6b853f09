// The hand-written player.
#include <algorithm>
#include <cmath>

#include "bindings/candidate.hpp"
#include "bindings/fields.hpp"
#include "bindings/unlocked.hpp"
#include "players/handicap.hpp"
#include "players/rollout.hpp"
#include "search/world.hpp"

namespace ofc::python {

using namespace nb::literals;

namespace {

HeuristicWeights to_weights(const std::optional<std::vector<float>>& weights) {
    HeuristicWeights result;
    if (!weights) return result;
    std::size_t n = 0;
    HeuristicWeights::for_each_field(result, [&](const Field&, float& weight) {
        if (n < weights->size()) weight = (*weights)[n];
        ++n;
    });
    if (weights->size() != n)
        throw std::invalid_argument("the heuristic has " + std::to_string(n) + " weights, not " +
                                    std::to_string(weights->size()));
    fields::verify("heuristic", result);
    return result;
}

struct Player : Heuristic {
    Handicap handicap;

    Player(const Heuristic& heuristic, const Handicap& its_handicap) : Heuristic(heuristic), handicap(its_handicap) {}
    // The placements as it sees them, the one that it plays in front.
    int weigh(const InformationSet& info, std::uint64_t seed, Choice* out) const {
        return evaluate_handicapped(*this, info, handicap, seed, out);
    }
};

}  // namespace

void bind_heuristic(nb::module_& m) {
    auto owner = nb::class_<Player>(m, "Heuristic", "Hand-written placement sense, natively and in batches.");
    owner
        .def(
            "__init__",
            [](Player* self, nb::handle reward, nb::handle rules, const std::optional<std::vector<float>>& weights,
               const nb::kwargs& handicap) {
                const Rules& ruled = *to_rules(rules);
                new (self)
                    Player(Heuristic(to_reward(reward, "equity", ruled).by_hand(ruled), ruled, to_weights(weights)),
                           with_fields("heuristic", Handicap{}, handicap));
            },
            "reward"_a = nb::none(), "rules"_a = nb::none(), "weights"_a = nb::none(), "handicap"_a,
            nb::sig(kept("def __init__(self, reward: RewardConfig | str | None = None, rules: Rules | str | None = "
                         "None, weights: typing.Sequence[float] | None = None, *, " +
                         field_arguments<Handicap>() + ") -> None")))
        .def_static("handicap_fields", &field_list<Handicap>, "What makes it weaker than it could be.",
                    nb::sig("def handicap_fields() -> list[ofc_env.results.Setting]"))
        .def_prop_ro_static(
            "default_weights",
            [](nb::handle) {
                std::vector<float> list;
                fields::for_each_default<HeuristicWeights>([&](const Field&, float weight) { list.push_back(weight); });
                return list;
            },
            "The weights in the order of fields().")
        .def(
            "actions",
            [](const Player& h, nb::handle positions, nb::handle seed) {
                const auto decisions = to_decisions(positions, &h.rules());
                const std::uint64_t start = to_seed(seed);
                auto out = new_array<std::int64_t>({decisions.size()});
                const Unlocked unlocked;
                std::array<Heuristic::Choice, kOpenings> choices;
                for (std::size_t i = 0; i < decisions.size(); ++i) {
                    h.weigh(decisions[i], start, choices.data());
                    out.data()[i] = decisions[i].slots_of(choices[0].placement).at[0];
                }
                return out;
            },
            "positions"_a, "seed"_a = 0, "The actions that it plays in many positions: int64 (N,).",
            nb::sig(kept(std::string("def actions(self, positions: ") + kPositions +
                         ", seed: int | None = 0) -> numpy.typing.NDArray[numpy.int64]")))
        .def(
            "rank",
            [](const Player& h, nb::handle position, nb::handle seed) {
                const InformationSet info = to_decision(position, &h.rules()).now;
                std::array<Heuristic::Choice, kOpenings> choices;
                const int n = h.weigh(info, to_seed(seed), choices.data());
                std::vector<Candidate> list;
                for (int i = 0; i < n; ++i) {
                    Candidate& c = list.emplace_back();
                    c.placement = choices[i].placement;
                    c.mean = c.prior = choices[i].value;
                    c.error = c.foul = c.fantasyland = c.royalties = std::nan("");
                }
                std::stable_sort(list.begin() + 1, list.end(),
                                 [](const Candidate& a, const Candidate& b) { return a.mean > b.mean; });
                return candidate_list(info, list);
            },
            "position"_a, "seed"_a = 0, "Every placement with its value: the one that it plays first, then the best.",
            nb::sig(kept(std::string("def rank(self, position: ") + kPosition +
                         ", seed: int | None = 0) -> list[Candidate]")))
        .def(
            "play_out",
            [](const Player& h, Hand hand, std::int64_t count, nb::handle seed, bool random) {
                if (hand.finished()) throw std::invalid_argument("the hand is finished: there is nothing to play out");
                information_set(hand, hand.player).verify_played_by(h.rules(), "heuristic");
                if (hand.sets_fantasyland())
                    throw std::invalid_argument("a fantasyland hand is to be set first: there is nothing to play out");
                if (count < 1) throw std::invalid_argument("cannot play out " + std::to_string(count) + " worlds");
                const RolloutEvaluator leaf(
                    Rollout(random ? RolloutPolicy::kRandom : RolloutPolicy::kHeuristic, h, true));
                Rng rng(to_seed(seed));
                double total = 0.0;
                const Unlocked unlocked;
                for (std::int64_t i = 0; i < count; ++i) {
                    poll();
                    Hand world = determinize(hand, hand.player, rng);
                    total += leaf.evaluate(world, rng).value;
                }
                return total / static_cast<double>(count);
            },
            "hand"_a, "count"_a, "seed"_a = 0, "random"_a = false,
            "Mean value for seat 0 of a hand played out in `count` worlds.",
            nb::sig("def play_out(self, hand: Hand, count: int, seed: int | None = 0, random: bool = False) -> float"));
    def_field_list<HeuristicWeights>(owner);
}

}  // namespace ofc::python
