// The native network.
#include <algorithm>
#include <cstring>

#include "bindings/network/network.hpp"
#include "bindings/unlocked.hpp"
#include "network/features.hpp"

namespace ofc::python {

using namespace nb::literals;

namespace {

const PackedState* states_of(const nb::ndarray<nb::ro>& array, std::size_t* n) {
    if (array.ndim() != 2 || array.shape(1) != kWords || array.dtype() != nb::dtype<std::uint64_t>())
        throw std::invalid_argument("states should be a uint64 array of shape (N, 8)");
    *n = array.shape(0);
    if (array.stride(1) != 1 || (*n > 1 && array.stride(0) != static_cast<std::int64_t>(kWords)))
        throw std::invalid_argument("states should be C-contiguous");
    const auto* states = static_cast<const PackedState*>(array.data());
    for (std::size_t i = 0; i < *n; ++i) {
        try {
            states[i].verify();
        } catch (const std::invalid_argument& error) {
            throw std::invalid_argument("state " + std::to_string(i) + ": " + error.what());
        }
    }
    return states;
}

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

void bind_network(nb::module_& m) {
    m.attr("NETWORK_FEATURES") = kFeatures;
    // Where some inputs begin, and how many a piece has: of each row (mine, then the opponent's), of each two
    // neighbours (likewise), of each of my rows against the opponent's.
    nb::dict inputs;
    inputs["outs"] = nb::make_tuple(kOutsAt, kOutsFeatures);
    inputs["repairs"] = nb::make_tuple(kRepairsAt, kRepairFeatures);
    inputs["worth"] = nb::make_tuple(kWorthAt, kWorthFeatures);
    inputs["duels"] = nb::make_tuple(kDuelsAt, kDuelFeatures);
    m.attr("NETWORK_INPUTS") = inputs;
    m.attr("NETWORK_CHIP_FEATURES") = kChipFeatures;  // the last of them
    m.attr("NETWORK_HEADS") = kHeads;

    m.def(
        "pack_observations",
        [](const nb::ndarray<nb::ro>& observations, nb::handle rules) {
            if (observations.ndim() != 2) throw std::invalid_argument("observations should have shape (N, 490)");
            const std::size_t n = observations.shape(0);
            const float* data = numbers_of<float>(observations, {n, kObservation}, "observations");
            const Rules* ruled = to_rules(rules);
            auto out = new_array<std::uint64_t>({n, kWords});
            for (std::size_t i = 0; i < n; ++i) {
                const PackedState state =
                    pack_state(decode_observation({data + i * kObservation, kObservation}, ruled));
                std::memcpy(out.data() + i * kWords, &state, sizeof(state));
            }
            return out;
        },
        "observations"_a, "rules"_a = nb::none(),
        "Observations (N, 490) as packed states: uint64 (N, 8); cards in hand count as neither placed nor unseen.",
        nb::sig("def pack_observations(observations: numpy.typing.NDArray[numpy.float32], rules: Rules | str | None = "
                "None) -> numpy.typing.NDArray[numpy.uint64]"));
    m.def(
        "network_features",
        [](const nb::ndarray<nb::ro>& array, nb::handle seed, nb::handle rules) {
            std::size_t n;
            const PackedState* states = states_of(array, &n);
            const Rules& ruled = *to_rules(rules);
            const bool renamed = !seed.is_none();
            Rng rng(renamed ? to_seed(seed) : 0);
            auto out = new_array<float>({n, static_cast<std::size_t>(kFeatures)});
            {
                const Unlocked unlocked;
                std::uint16_t features[kMostActive];
                for (std::size_t i = 0; i < n; ++i) {
                    const PackedState state = renamed ? relabel(states[i], static_cast<int>(rng.below(48))) : states[i];
                    const int active = list_features(state, ruled, features);
                    for (int k = 0; k < active; ++k) out.data()[i * kFeatures + features[k]] = 1.0f;
                }
            }
            return out;
        },
        "states"_a, "seed"_a = nb::none(), "rules"_a = nb::none(),
        "Inputs of the network for packed states (N, 8): float32 (N, NETWORK_FEATURES). With a seed, suits and jokers "
        "of each state are renamed at random.",
        nb::sig("def network_features(states: numpy.typing.NDArray[numpy.uint64], seed: int | None = None, rules: "
                "Rules | None = None) -> numpy.typing.NDArray[numpy.float32]"));

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
                std::size_t n;
                const PackedState* states = states_of(array, &n);
                auto out = new_array<float>({n, static_cast<std::size_t>(kHeads)});
                const Unlocked unlocked;
                for (std::size_t i = 0; i < n; ++i) {
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
