// The native network.
#include <algorithm>

#include "bindings/network/network.hpp"
#include "bindings/search/search.hpp"
#include "bindings/unlocked.hpp"
#include "network/features.hpp"
#include "network/vectors.hpp"
#include "players/handicap.hpp"

namespace ofc::python {

using namespace nb::literals;

namespace {

std::vector<float> floats_of(const nb::ndarray<nb::ro>& array, const char* what) {
    std::size_t size = 1;
    for (std::size_t i = 0; i < array.ndim(); ++i) size *= array.shape(i);
    const float* data =
        array.ndim() == 1
            ? numbers_of<float>(array, {size}, what)
            : numbers_of<float>(array, {array.shape(0), size / std::max<std::size_t>(array.shape(0), 1)}, what);
    return {data, data + size};
}

}  // namespace

namespace {

// The placement with the highest preference, or one drawn from the softmax of preferences at a temperature.
const Placement& draw_preferred(std::span<const Network::Choice> choices, double temperature, Rng& rng) {
    const auto preference = [&](int i) { return choices[static_cast<std::size_t>(i)].output[kPreference]; };
    const int n = static_cast<int>(choices.size());
    int played = 0;
    if (temperature > 0.0)
        played = drawn(n, preference, temperature, rng);
    else
        for (int i = 1; i < n; ++i)
            if (preference(i) > preference(played)) played = i;
    return choices[static_cast<std::size_t>(played)].placement;
}

}  // namespace

void bind_network(nb::module_& m) {
    m.attr("NETWORK_FEATURES") = kFeatures;
    // Where some inputs begin, and how many a piece has: of each row (mine, then the opponent's), of each two
    // neighbours (likewise), of each of my rows against the opponent's.
    nb::dict inputs;
    inputs["outs"] = nb::make_tuple(kOutsAt, kOutsFeatures);
    inputs["repairs"] = nb::make_tuple(kRepairsAt, kRepairFeatures);
    inputs["worth"] = nb::make_tuple(kWorthAt, kWorthFeatures);
    inputs["turn"] = nb::make_tuple(kTableAt, kTurns);
    inputs["fantasyland"] = nb::make_tuple(kTableAt + 7, kLargestFantasyland - kSmallestFantasyland + 1);
    inputs["duels"] = nb::make_tuple(kDuelsAt, kDuelFeatures);
    m.attr("NETWORK_INPUTS") = inputs;
    m.attr("NETWORK_CHIP_FEATURES") = kChipFeatures;  // the last of them
    m.attr("NETWORK_HEADS") = kHeads;
    m.attr("NETWORK_STAGES") = kStages;
    kernels_in_use();  // a name in OFC_VECTORS that is of no use is refused at the import
    m.def(
        "vector_path", [] { return kernels_in_use().name; },
        "The vectors that networks are summed up with: the first of vector_paths(), or what OFC_VECTORS names.");
    m.def(
        "vector_paths",
        [] {
            nb::list names;
            for (const Kernels* kernels : usable_kernels()) names.append(kernels->name);
            return names;
        },
        "The kinds of vectors that this build and this processor have, widest first.",
        nb::sig("def vector_paths() -> list[str]"));

    nb::class_<NetworkHolder>(m, "Network", "The value network after a placement, evaluated natively.")
        .def(
            "__init__",
            [](NetworkHolder* self, const nb::ndarray<nb::ro>& first, const nb::ndarray<nb::ro>& first_bias,
               const nb::ndarray<nb::ro>& second, const nb::ndarray<nb::ro>& second_bias,
               const nb::ndarray<nb::ro>& heads, const nb::ndarray<nb::ro>& heads_bias, nb::handle rules) {
                new (self) NetworkHolder{std::make_shared<const Network>(
                    floats_of(first, "first"), floats_of(first_bias, "first_bias"), floats_of(second, "second"),
                    floats_of(second_bias, "second_bias"), floats_of(heads, "heads"),
                    floats_of(heads_bias, "heads_bias"), *to_rules(rules))};
            },
            "first"_a, "first_bias"_a, "second"_a, "second_bias"_a, "heads"_a, "heads_bias"_a, "rules"_a = nb::none(),
            nb::sig("def __init__(self, first: numpy.typing.NDArray[numpy.float32], first_bias: "
                    "numpy.typing.NDArray[numpy.float32], second: numpy.typing.NDArray[numpy.float32], "
                    "second_bias: numpy.typing.NDArray[numpy.float32], heads: numpy.typing.NDArray[numpy.float32], "
                    "heads_bias: numpy.typing.NDArray[numpy.float32], rules: Rules | None = None) -> None"))
        .def_prop_ro("hidden", [](const NetworkHolder& h) { return h.network->hidden(); })
        .def_prop_ro(
            "rules", [](const NetworkHolder& h) { return h.network->rules(); }, "That it was trained by.")
        .def(
            "evaluate",
            [](const NetworkHolder& h, const nb::ndarray<nb::ro>& array) {
                const auto states = packed_of<PackedState>(array, "state");
                auto out = new_array<float>({states.size(), static_cast<std::size_t>(kHeads)});
                const Unlocked unlocked;
                for (std::size_t i = 0; i < states.size(); ++i) {
                    const auto output = h.network->evaluate(states[i]);
                    std::copy(output.begin(), output.end(), out.data() + i * kHeads);
                }
                return out;
            },
            "states"_a,
            "Outputs of packed states (N, 8): float32 (N, 5): value, foul, fantasyland, royalties, preference.",
            nb::sig("def evaluate(self, states: numpy.typing.NDArray[numpy.uint64]) -> "
                    "numpy.typing.NDArray[numpy.float32]"))
        .def(
            "preferred",
            [](const NetworkHolder& h, nb::handle positions, double temperature, nb::handle seed) {
                if (!(temperature >= 0.0))
                    throw std::invalid_argument("a temperature of " + std::to_string(temperature) +
                                                " is not possible: use 0 or more");
                const auto decisions = to_decisions(positions, &h.network->rules());
                const std::uint64_t start = to_seed(seed);
                const Heuristic heuristic(RewardConfig{}, h.network->rules());
                auto out = new_array<std::int64_t>({decisions.size()});
                const Unlocked unlocked;
                for (std::size_t i = 0; i < decisions.size(); ++i) {
                    poll();
                    std::array<Network::Choice, kOpenings> choices;
                    const int n = h.network->evaluate_placements(decisions[i], choices.data(), heuristic, kOpenings);
                    Rng rng(observation_key(decisions[i], start));
                    const Placement& placement =
                        draw_preferred({choices.data(), static_cast<std::size_t>(n)}, temperature, rng);
                    out.data()[i] = decisions[i].slots_of(placement).at[0];
                }
                return out;
            },
            "positions"_a, "temperature"_a = 0.0, "seed"_a = 0,
            "The first slots of the placements that the policy (the preference) likes best in many positions, or, at a "
            "temperature, of placements drawn from it: int64 (N,). Seed and position fix the draw.",
            nb::sig(kept(std::string("def preferred(self, positions: ") + kPositions +
                         ", temperature: float = 0.0, seed: int | None = 0) -> numpy.typing.NDArray[numpy.int64]")))
        .def(
            "placements_per_second",
            [](const NetworkHolder& h, const nb::ndarray<nb::ro>& observations, int repeats) {
                const auto decisions = to_decisions(nb::cast(observations), &h.network->rules());
                std::array<Network::Choice, kOpenings> choices;
                const Heuristic heuristic(RewardConfig{}, h.network->rules());
                std::int64_t judged = 0;
                const Unlocked unlocked;
                for (int r = 0; r < repeats; ++r)
                    for (const InformationSet& info : decisions)
                        judged += h.network->evaluate_placements(info, choices.data(), heuristic);
                return judged;
            },
            "observations"_a, "repeats"_a = 1,
            "Judge all placements of the observations, again and again, and return how many were judged: for "
            "benchmarks.",
            nb::sig("def placements_per_second(self, observations: numpy.typing.NDArray[numpy.float32], repeats: int = "
                    "1) -> int"));
}

}  // namespace ofc::python
