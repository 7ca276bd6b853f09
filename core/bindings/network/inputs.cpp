// What networks after a placement learn from: packed states and positions, and their inputs.
#include <algorithm>
#include <cstring>

#include "bindings/network/network.hpp"
#include "bindings/unlocked.hpp"
#include "network/features.hpp"

namespace ofc::python {

using namespace nb::literals;

namespace {

// Suits and jokers of each decision renamed at random; without a seed all keep their names.
class Renaming {
public:
    explicit Renaming(nb::handle seed) : on_(!seed.is_none()), rng_(on_ ? to_seed(seed) : 0) {}
    void next() { symmetry_ = on_ ? static_cast<int>(rng_.below(48)) : 0; }
    PackedState operator()(const PackedState& state) const { return on_ ? relabel(state, symmetry_) : state; }

private:
    bool on_;
    Rng rng_;
    int symmetry_ = 0;
};

// Where each of N pieces starts, and where the last one ends: int64 (N + 1,), from 0 to `end`.
const std::int64_t* starts_of(const nb::ndarray<nb::ro>& array, std::size_t end, const char* what) {
    const std::size_t n = array.ndim() == 1 ? array.shape(0) : 0;
    const auto* starts = numbers_of<std::int64_t>(array, {n}, "starts");
    bool rising = n > 0 && starts[0] == 0 && starts[n - 1] == static_cast<std::int64_t>(end);
    for (std::size_t i = 1; rising && i < n; ++i) rising = starts[i - 1] <= starts[i];
    if (!rising)
        throw std::invalid_argument("starts should rise from 0 to the " + std::to_string(end) + " " + what +
                                    " that there are");
    return starts;
}

}  // namespace

void bind_inputs(nb::module_& m) {
    m.def(
        "network_stages",
        [](const nb::ndarray<nb::ro>& array) {
            const auto states = packed_of<PackedState>(array, "state");
            auto out = new_array<std::int64_t>({states.size()});
            for (std::size_t i = 0; i < states.size(); ++i) out.data()[i] = stage_of(states[i]);
            return out;
        },
        "states"_a,
        "The stage of the hand of packed states: int64 (N,), twice the turn placed, and one more against fantasyland.",
        nb::sig("def network_stages(states: numpy.typing.NDArray[numpy.uint64]) -> "
                "numpy.typing.NDArray[numpy.int64]"));
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
            const auto states = packed_of<PackedState>(array, "state");
            const Rules& ruled = *to_rules(rules);
            auto out = new_array<float>({states.size(), static_cast<std::size_t>(kFeatures)});
            Renaming renaming(seed);
            const Unlocked unlocked;
            float* row = out.data();
            for (std::size_t i = 0; i < states.size(); ++i, row += kFeatures) {
                std::uint16_t features[kMostActive];
                renaming.next();
                const int active = list_features(renaming(states[i]), ruled, features);
                for (int k = 0; k < active; ++k) row[features[k]] = 1.0f;
            }
            return out;
        },
        "states"_a, "seed"_a = nb::none(), "rules"_a = nb::none(),
        "Inputs of the network for packed states (N, 8): float32 (N, NETWORK_FEATURES). With a seed, suits and jokers "
        "of each state are renamed at random.",
        nb::sig("def network_features(states: numpy.typing.NDArray[numpy.uint64], seed: int | None = None, rules: "
                "Rules | None = None) -> numpy.typing.NDArray[numpy.float32]"));
    m.def(
        "network_inputs",
        [](const nb::ndarray<nb::ro>& array, nb::handle starts, nb::handle seed, nb::handle rules) {
            const auto states = packed_of<PackedState>(array, "state");
            const Rules& ruled = *to_rules(rules);
            const bool grouped = !starts.is_none();
            const auto groups = grouped ? nb::cast<nb::ndarray<nb::ro>>(starts) : nb::ndarray<nb::ro>();
            const std::int64_t* group = grouped ? starts_of(groups, states.size(), "states") : nullptr;
            std::vector<std::int32_t> inputs;
            std::vector<std::int64_t> begins{0};
            Renaming renaming(seed);
            {
                const Unlocked unlocked;
                inputs.reserve(states.size() * 112);
                begins.reserve(states.size() + 1);
                for (std::size_t i = 0; i < states.size(); ++i) {
                    std::uint16_t features[kMostActive];
                    if (!group) renaming.next();
                    for (; group && *group == static_cast<std::int64_t>(i); ++group) renaming.next();
                    const int active = list_features(renaming(states[i]), ruled, features);
                    inputs.insert(inputs.end(), features, features + active);
                    begins.push_back(static_cast<std::int64_t>(inputs.size()));
                }
            }
            return nb::make_tuple(array_of(inputs), array_of(begins));
        },
        "states"_a, "starts"_a = nb::none(), "seed"_a = nb::none(), "rules"_a = nb::none(),
        "The inputs that are on for packed states (N, 8), by number: int32 (K,), and where those of each state start: "
        "int64 (N + 1,). With a seed, suits and jokers are renamed at random: of each state, or where `starts` says "
        "which "
        "states belong together, alike for all of a decision.",
        nb::sig(
            "def network_inputs(states: numpy.typing.NDArray[numpy.uint64], starts: "
            "numpy.typing.NDArray[numpy.int64] | None = None, seed: int | None = None, rules: Rules | None = None) -> "
            "tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int64]]"));
    m.def(
        "inputs_gradient",
        [](const nb::ndarray<nb::ro>& gradient, const nb::ndarray<nb::ro>& inputs, const nb::ndarray<nb::ro>& starts) {
            if (inputs.ndim() != 1 || gradient.ndim() != 2)
                throw std::invalid_argument("a gradient has the shape (N, units), and inputs (K,)");
            const auto* on = numbers_of<std::int32_t>(inputs, {inputs.shape(0)}, "inputs");
            const auto* start = starts_of(starts, inputs.shape(0), "inputs");
            const std::size_t states = starts.shape(0) - 1, units = gradient.shape(1);
            const float* rows = numbers_of<float>(gradient, {states, units}, "gradient");
            for (std::size_t k = 0; k < inputs.shape(0); ++k)
                if (on[k] < 0 || on[k] >= kFeatures)
                    throw std::invalid_argument("there is no input " + std::to_string(on[k]));
            auto out = new_array<float>({static_cast<std::size_t>(kFeatures), units});
            const Unlocked unlocked;
            for (std::size_t i = 0; i < states; ++i, rows += units)
                for (std::int64_t k = start[i]; k < start[i + 1]; ++k) {
                    float* to = out.data() + static_cast<std::size_t>(on[k]) * units;
                    for (std::size_t unit = 0; unit < units; ++unit) to[unit] += rows[unit];
                }
            return out;
        },
        "gradient"_a, "inputs"_a, "starts"_a,
        "What each input's weights get of a gradient of the first layer's sums (N, units): float32 (NETWORK_FEATURES, "
        "units); `inputs` and `starts` as network_inputs() gave them.",
        nb::sig("def inputs_gradient(gradient: numpy.typing.NDArray[numpy.float32], inputs: "
                "numpy.typing.NDArray[numpy.int32], starts: numpy.typing.NDArray[numpy.int64]) -> "
                "numpy.typing.NDArray[numpy.float32]"));
    m.def(
        "pack_turns",
        [](const nb::ndarray<nb::ro>& observations, const nb::ndarray<nb::ro>& actions, nb::handle rules) {
            const std::size_t n = observations.ndim() == 2 ? observations.shape(0) : 0;
            const float* data = numbers_of<float>(observations, {n, kObservation}, "observations");
            const auto* slots = numbers_of<std::int64_t>(actions, {n}, "actions");
            const Rules* ruled = to_rules(rules);
            std::vector<PackedPosition> positions;
            std::vector<std::int64_t> chosen, rows;
            const auto refuse = [](std::size_t row, const std::string& why) {
                throw std::invalid_argument("row " + std::to_string(row) + ": " + why);
            };
            for (std::size_t i = 0; i < n; ++i) {
                const InformationSet info = decode_observation({data + i * kObservation, kObservation}, ruled);
                if (info.opening_step) refuse(i, "the second step of an opening stands without its first");
                for (std::size_t k = i; k < std::min(n, i + 2); ++k)
                    if (slots[k] < 0 || slots[k] >= kActions) refuse(k, "there is no slot " + std::to_string(slots[k]));
                Slots played;
                played.add(static_cast<int>(slots[i]));
                rows.push_back(static_cast<std::int64_t>(i));
                if (info.turn == 0 && slots[i] != kOpeningTop - 1) {
                    if (i + 1 == n) refuse(i, "an opening stands without its second step");
                    played.add(static_cast<int>(slots[++i]));
                }
                const auto all = info.placements();
                const auto found = std::find_if(all.begin(), all.end(), [&](const Placement& placement) {
                    return info.slots_of(placement) == played;
                });
                if (found == all.end()) refuse(i, "slot " + std::to_string(slots[i]) + " cannot be played there");
                positions.push_back(pack_position(info));
                chosen.push_back(found - all.begin());
            }
            auto out = new_array<std::uint64_t>({positions.size(), sizeof(PackedPosition) / sizeof(std::uint64_t)});
            std::memcpy(out.data(), positions.data(), positions.size() * sizeof(PackedPosition));
            return nb::make_tuple(out, array_of(chosen), array_of(rows));
        },
        "observations"_a, "actions"_a, "rules"_a = nb::none(),
        "Logged decisions (N, 490) with the slots played (N,) as whole turns: packed positions, uint64 (M, 9); which "
        "of "
        "their placements was played, in the order of placement_states(), int64 (M,); and in which row each turn "
        "began, "
        "int64 (M,). The two steps of an opening are one turn.",
        nb::sig("def pack_turns(observations: numpy.typing.NDArray[numpy.float32], actions: "
                "numpy.typing.NDArray[numpy.int64], rules: Rules | str | None = None) -> "
                "tuple[numpy.typing.NDArray[numpy.uint64], numpy.typing.NDArray[numpy.int64], "
                "numpy.typing.NDArray[numpy.int64]]"));
    m.def(
        "placement_states",
        [](const nb::ndarray<nb::ro>& array) {
            const auto positions = packed_of<PackedPosition>(array, "position");
            std::vector<PackedState> states;
            std::vector<std::int64_t> starts{0};
            {
                const Unlocked unlocked;
                for (const PackedPosition& position : positions) {
                    for (const Placement& placement : position.placements())
                        states.push_back(position.after(placement));
                    starts.push_back(static_cast<std::int64_t>(states.size()));
                }
            }
            auto out = new_array<std::uint64_t>({states.size(), kWords});
            std::memcpy(out.data(), states.data(), states.size() * sizeof(PackedState));
            return nb::make_tuple(out, array_of(starts));
        },
        "positions"_a,
        "The states after every placement of packed positions (M, 9), 232 after an opening: uint64 (K, 8), and where "
        "those "
        "of each position start: int64 (M + 1,).",
        nb::sig("def placement_states(positions: numpy.typing.NDArray[numpy.uint64]) -> "
                "tuple[numpy.typing.NDArray[numpy.uint64], numpy.typing.NDArray[numpy.int64]]"));
}

}  // namespace ofc::python
