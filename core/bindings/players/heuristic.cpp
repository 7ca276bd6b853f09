// The hand-written player.
#include <algorithm>
#include <cmath>

#include "bindings/candidate.hpp"
#include "bindings/fields.hpp"
#include "bindings/unlocked.hpp"
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

}  // namespace

void bind_heuristic(nb::module_& m) {
    auto owner = nb::class_<Heuristic>(m, "Heuristic", "Hand-written placement sense, natively and in batches.");
    owner
        .def(
            "__init__",
            [](Heuristic* self, nb::handle reward, nb::handle rules, const std::optional<std::vector<float>>& weights) {
                const Rules& ruled = *to_rules(rules);
                new (self) Heuristic(to_reward(reward, "equity", ruled), ruled, to_weights(weights));
            },
            "reward"_a = nb::none(), "rules"_a = nb::none(), "weights"_a = nb::none(),
            nb::sig("def __init__(self, reward: RewardConfig | str | None = None, rules: Rules | str | None = None, "
                    "weights: typing.Sequence[float] | None = None) -> None"))
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
            [](const Heuristic& h, nb::handle positions) {
                const auto decisions = to_decisions(positions, &h.rules());
                auto out = new_array<std::int64_t>({decisions.size()});
                const Unlocked unlocked;
                for (std::size_t i = 0; i < decisions.size(); ++i)
                    out.data()[i] = decisions[i].slots_of(h.best(position_of(decisions[i]))).at[0];
                return out;
            },
            "positions"_a, "Best actions of many positions: int64 (N,).",
            nb::sig(kept(std::string("def actions(self, positions: ") + kPositions +
                         ") -> numpy.typing.NDArray[numpy.int64]")))
        .def(
            "rank",
            [](const Heuristic& h, nb::handle position) {
                const InformationSet info = to_decision(position, &h.rules()).now;
                std::array<Heuristic::Choice, kOpenings> choices;
                const int n = h.evaluate(position_of(info), choices.data());
                std::vector<Candidate> list;
                for (int i = 0; i < n; ++i) {
                    Candidate& c = list.emplace_back();
                    c.placement = choices[i].placement;
                    c.mean = c.prior = choices[i].value;
                    c.error = c.foul = c.fantasyland = c.royalties = std::nan("");
                }
                std::stable_sort(list.begin(), list.end(),
                                 [](const Candidate& a, const Candidate& b) { return a.mean > b.mean; });
                return candidate_list(info, list);
            },
            "position"_a, "Every placement with its value, best first.",
            nb::sig(kept(std::string("def rank(self, position: ") + kPosition + ") -> list[Candidate]")))
        .def(
            "play_out",
            [](const Heuristic& h, Hand hand, std::int64_t count, nb::handle seed, bool random) {
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
