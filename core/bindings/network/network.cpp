// The native network, its search and self-play.
#include <algorithm>
#include <cstring>

#include "bindings/bindings.hpp"
#include "network/features.hpp"
#include "network/network_search.hpp"
#include "network/self_play.hpp"

namespace ofc::python {

using namespace nb::literals;

namespace {

constexpr std::size_t kWords = sizeof(PackedState) / sizeof(std::uint64_t);

const PackedState* states_of(const nb::ndarray<nb::ro>& array, std::size_t* n) {
    if (array.ndim() != 2 || array.shape(1) != kWords || array.dtype() != nb::dtype<std::uint64_t>())
        throw std::invalid_argument("states should be a uint64 array of shape (N, 8)");
    *n = array.shape(0);
    if (array.stride(1) != 1 || (*n > 1 && array.stride(0) != static_cast<std::int64_t>(kWords)))
        throw std::invalid_argument("states should be C-contiguous");
    return static_cast<const PackedState*>(array.data());
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

using NetworkPointer = std::shared_ptr<const Network>;

struct NetworkHolder {
    NetworkPointer network;
};

struct SearchPlayer {
    NetworkSearch search;
    bool belief;
};

nb::dict arrays_of(const std::vector<Decision>& decisions) {
    const std::size_t n = decisions.size(), most = Decision::kMost;
    auto states = new_array<std::uint64_t>({n, most, kWords});
    auto values = new_array<float>({n, most});
    auto policy = new_array<float>({n, most});
    auto chosen = new_array<std::int64_t>({n});
    auto counts = new_array<std::int64_t>({n});
    auto outcomes = new_array<float>({n, 4});
    for (std::size_t i = 0; i < n; ++i) {
        const Decision& d = decisions[i];
        std::memcpy(states.data() + i * most * kWords, d.states.data(), sizeof(d.states));
        std::copy(d.values.begin(), d.values.end(), values.data() + i * most);
        std::copy(d.policy.begin(), d.policy.end(), policy.data() + i * most);
        chosen.data()[i] = d.chosen;
        counts.data()[i] = d.count;
        const std::array<float, 4> outcome{d.outcome, d.fouled, d.fantasyland, d.royalties};
        std::copy(outcome.begin(), outcome.end(), outcomes.data() + i * 4);
    }
    nb::dict dict;
    dict["states"] = states;
    dict["values"] = values;
    dict["policy"] = policy;
    dict["chosen"] = chosen;
    dict["counts"] = counts;
    dict["outcomes"] = outcomes;
    return dict;
}

}  // namespace

nb::list candidate_list(const InformationSet& info, const std::vector<Candidate>& candidates);
std::vector<InformationSet> decode_all(const nb::ndarray<nb::ro>& observations);
int slot_of(const InformationSet& info, const Placement& placement);

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
    m.attr("MOST_CANDIDATES") = static_cast<int>(Decision::kMost);

    m.def(
        "pack_observations",
        [](const nb::ndarray<nb::ro>& observations) {
            if (observations.ndim() != 2) throw std::invalid_argument("observations should have shape (N, 490)");
            const std::size_t n = observations.shape(0);
            const float* data = numbers_of<float>(observations, {n, kObservation}, "observations");
            auto out = new_array<std::uint64_t>({n, kWords});
            for (std::size_t i = 0; i < n; ++i) {
                const PackedState state = pack_state(decode_observation({data + i * kObservation, kObservation}));
                std::memcpy(out.data() + i * kWords, &state, sizeof(state));
            }
            return out;
        },
        "observations"_a,
        "Observations (N, 490) as packed states: uint64 (N, 8); cards in hand count as neither placed nor unseen.",
        nb::sig("def pack_observations(observations: numpy.typing.NDArray[numpy.float32]) -> "
                "numpy.typing.NDArray[numpy.uint64]"));
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
                nb::gil_scoped_release release;
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
        .def(
            "evaluate",
            [](const NetworkHolder& h, const nb::ndarray<nb::ro>& array) {
                std::size_t n;
                const PackedState* states = states_of(array, &n);
                auto out = new_array<float>({n, static_cast<std::size_t>(kHeads)});
                nb::gil_scoped_release release;
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
                const auto decisions = decode_all(observations);
                std::array<Network::Choice, kOpenings> choices;
                const Heuristic heuristic;
                std::int64_t judged = 0;
                nb::gil_scoped_release release;
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

    nb::class_<SearchPlayer>(m, "NetworkSearch", "Information-set tree search guided by the network.")
        .def(
            "__init__",
            [](SearchPlayer* self, const NetworkHolder& network, int simulations, bool halving, int candidates,
               double prior_weight, double c_puct, double noise, double opponent_temperature, double risk, bool exact,
               bool belief, int opening_width, int max_nodes, double seconds, nb::handle reward) {
                if (simulations < 0)
                    throw std::invalid_argument("simulations is " + std::to_string(simulations) +
                                                "; it must not be negative");
                if (!(prior_weight >= 0.0))
                    throw std::invalid_argument("prior_weight is " + std::to_string(prior_weight) +
                                                "; it must not be negative");
                if (candidates < 1)
                    throw std::invalid_argument("candidates is " + std::to_string(candidates) +
                                                "; at least 1 is needed");
                NetworkSearchSettings s;
                s.simulations = simulations;
                s.halving = halving;
                s.candidates = candidates;
                s.prior_weight = prior_weight;
                s.c_puct = c_puct;
                s.noise = noise;
                s.opponent_temperature = opponent_temperature;
                s.risk = risk;
                s.exact = exact;
                s.opening_width = opening_width;
                s.max_nodes = max_nodes;
                s.seconds = seconds;
                new (self) SearchPlayer{NetworkSearch(s, network.network, to_reward(reward, "equity")), belief};
            },
            "network"_a, "simulations"_a = 200, "halving"_a = true, "candidates"_a = NetworkSearchSettings{}.candidates,
            "prior_weight"_a = 0.0, "c_puct"_a = 1.5, "noise"_a = 0.0, "opponent_temperature"_a = 0.0, "risk"_a = 0.0,
            "exact"_a = true, "belief"_a = false, "opening_width"_a = NetworkSearchSettings{}.opening_width,
            "max_nodes"_a = NetworkSearchSettings{}.max_nodes, "seconds"_a = 0.0, "reward"_a = nb::none(),
            nb::sig("def __init__(self, network: Network, simulations: int = 200, halving: bool = True, candidates: "
                    "int = 12, prior_weight: float = 0.0, c_puct: float = 1.5, noise: float = 0.0, "
                    "opponent_temperature: float = 0.0, "
                    "risk: float = 0.0, exact: bool = True, belief: bool = False, opening_width: int = 32, max_nodes: "
                    "int = 16384, seconds: float = 0.0, reward: RewardConfig | str | None = None) -> None"))
        .def(
            "search",
            [](SearchPlayer& player, const nb::ndarray<nb::ro>& history, nb::handle seed) {
                const auto decisions = decode_all(history);
                if (decisions.empty()) throw std::invalid_argument("the history of decisions is empty");
                const std::uint64_t start = to_seed(seed);
                std::vector<Candidate> found;
                {
                    nb::gil_scoped_release release;
                    found = player.search.search(
                        decisions.back(), player.belief ? Belief(decisions, player.search.heuristic()) : Belief(),
                        start);
                }
                return candidate_list(decisions.back(), found);
            },
            "history"_a, "seed"_a.none(),
            "Candidates of the last of the seat's own decisions (k, 490) in this hand, best first: (actions, "
            "placement, mean, error, rollouts, foul, fantasyland, royalties).",
            nb::sig("def search(self, history: numpy.typing.NDArray[numpy.float32], seed: int | None) -> "
                    "list[tuple[tuple[int, ...], Placement, float, float, int, float, float, float]]"))
        .def(
            "actions",
            [](SearchPlayer& player, const nb::ndarray<nb::ro>& observations, const nb::ndarray<nb::ro>& seeds) {
                const auto decisions = decode_all(observations);
                if (seeds.ndim() != 1 || seeds.shape(0) != decisions.size() ||
                    seeds.dtype() != nb::dtype<std::uint64_t>() || (decisions.size() > 1 && seeds.stride(0) != 1))
                    throw std::invalid_argument("seeds should be a contiguous uint64 array of shape (N,)");
                const auto* seed = static_cast<const std::uint64_t*>(seeds.data());
                auto out = new_array<std::int64_t>({decisions.size()});
                nb::gil_scoped_release release;
                for (std::size_t i = 0; i < decisions.size(); ++i)
                    out.data()[i] =
                        slot_of(decisions[i], player.search.search(decisions[i], Belief(), seed[i]).front().placement);
                return out;
            },
            "observations"_a, "seeds"_a,
            "Best actions of float32 (N, 490) observations, each searched from its own uint64 seed: int64 (N,).",
            nb::sig("def actions(self, observations: numpy.typing.NDArray[numpy.float32], seeds: "
                    "numpy.typing.NDArray[numpy.uint64]) -> numpy.typing.NDArray[numpy.int64]"))
        .def_prop_ro(
            "nodes", [](const SearchPlayer& player) { return player.search.nodes(); },
            "Nodes of the last search's tree.")
        .def_prop_ro(
            "simulations_done", [](const SearchPlayer& player) { return player.search.simulations_done(); },
            "Simulations of the last search.");

    m.def(
        "self_play",
        [](nb::handle network, std::int64_t hands, nb::handle seed, int candidates, int simulations,
           double exploring_share, int opening_width, double fantasyland_share, bool by_rollouts,
           const std::vector<Hand>& starts, double start_share, double random_openings, double target_temperature,
           nb::handle reward, nb::handle rules) {
            SelfPlaySettings settings;
            settings.candidates = candidates;
            settings.simulations = simulations;
            settings.exploring_share = exploring_share;
            settings.opening_width = opening_width;
            settings.fantasyland_share = fantasyland_share;
            settings.by_rollouts = by_rollouts;
            settings.start_share = start_share;
            settings.random_openings = random_openings;
            if (!(target_temperature > 0))
                throw std::invalid_argument("target_temperature is " + std::to_string(target_temperature) +
                                            "; it must be positive");
            settings.target_temperature = target_temperature;
            if (hands < 0) throw std::invalid_argument("cannot play " + std::to_string(hands) + " hands");
            for (const Hand& start : starts)
                if (start.finished() || start.sets_fantasyland())
                    throw std::invalid_argument("a start is a hand in which a seat is to place cards");
            NetworkPointer pointer;
            if (!network.is_none()) pointer = nb::cast<const NetworkHolder&>(network).network;
            const std::uint64_t start = to_seed(seed);
            SelfPlay games(settings, pointer, to_reward(reward, "equity"), *to_rules(rules));
            std::vector<Decision> decisions;
            {
                nb::gil_scoped_release release;
                for (std::int64_t hand = 0; hand < hands;)
                    hand += games.play(combine_seeds(start, static_cast<std::uint64_t>(hand)), starts, decisions);
            }
            return arrays_of(decisions);
        },
        "network"_a.none(), "hands"_a, "seed"_a.none(), "candidates"_a = SelfPlaySettings{}.candidates,
        "simulations"_a = SelfPlaySettings{}.simulations, "exploring_share"_a = SelfPlaySettings{}.exploring_share,
        "opening_width"_a = SelfPlaySettings{}.opening_width,
        "fantasyland_share"_a = SelfPlaySettings{}.fantasyland_share, "by_rollouts"_a = false,
        "starts"_a = std::vector<Hand>{}, "start_share"_a = SelfPlaySettings{}.start_share,
        "random_openings"_a = SelfPlaySettings{}.random_openings,
        "target_temperature"_a = SelfPlaySettings{}.target_temperature, "reward"_a = nb::none(), "rules"_a = nb::none(),
        "Play hands against itself and return their decisions as arrays: states uint64 (N, 8, 8), values and policy "
        "float32 (N, 8), chosen and counts int64 (N,),\n"
        "outcomes float32 (N, 4): equity, foul, fantasyland, royalties. The last index of states is a packed state; "
        "only the first `counts` of the 8 candidates are filled. A reward with a share for the session has whole "
        "sessions "
        "played, until there are at least so many hands.",
        nb::sig("def self_play(network: Network | None, hands: int, seed: int | None, candidates: int = 4, "
                "simulations: int = 32, exploring_share: float = 0.75, opening_width: int = 232, "
                "fantasyland_share: float = 0.08, by_rollouts: bool = False, starts: typing.Sequence[Hand] = (), "
                "start_share: float = 0.25, random_openings: float = 0.03, "
                "target_temperature: float = 1.0, reward: RewardConfig | str | None = None, rules: Rules | None = "
                "None) -> dict[str, numpy.typing.NDArray[typing.Any]]"));
}

}  // namespace ofc::python
