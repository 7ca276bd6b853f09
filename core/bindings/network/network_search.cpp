// The search on the network.
#include <mutex>

#include "bindings/network/network.hpp"
#include "bindings/search/search.hpp"
#include "bindings/unlocked.hpp"
#include "network/network_search.hpp"

namespace ofc::python {

using namespace nb::literals;

namespace {

struct SearchPlayer {
    NetworkSearch search;

    explicit SearchPlayer(NetworkSearch its_search) : search(std::move(its_search)) {}
    std::vector<Candidate> find(const InformationSet& info, const Belief& belief, std::uint64_t seed) {
        SearchStatistics statistics;
        auto found = search.search(info, belief, seed, nullptr, &statistics);
        const std::lock_guard lock(mutex_);
        last_ = statistics;
        return found;
    }
    SearchStatistics last() const {  // of the search that ended last
        const std::lock_guard lock(mutex_);
        return last_;
    }

private:
    mutable std::mutex mutex_;
    SearchStatistics last_;
};

// An agent of Python's as the opponent: a function from what the seat to act sees to the slot that it plays.
Opponent called(nb::callable choose) {
    return [choose](const Hand& world, Rng&) {
        const nb::gil_scoped_acquire acquire;
        Hand played = world;
        std::vector<int> slots;
        while (played.player == world.player && played.turn() == world.turn() && !played.finished()) {
            const nb::object slot = choose(nb::cast(Knowledge{information_set(played, played.player), {}}));
            slots.push_back(nb::cast<int>(slot));
            played.step(slots.back());
        }
        return world.placement_of(slots);
    };
}

Opponent opponent_of(nb::handle given, const NetworkSearchSettings& settings, const Network& network,
                     const RewardConfig& reward) {
    if (given.is_none()) return {};
    if (nb::isinstance<NetworkHolder>(given)) {
        const auto other = nb::cast<const NetworkHolder&>(given).network;
        if (!(other->rules() == network.rules()))
            throw std::invalid_argument("the opponent's network was made for other rules: " + other->rules().text());
        // Its own search object, for the settings that say how a network answers.
        const auto answers = std::make_shared<const NetworkSearch>(settings, other, reward);
        return [answers](const Hand& world, Rng& rng) { return answers->answer(world, rng); };
    }
    if (settings.opponent_temperature > 0.0)
        throw std::invalid_argument(
            "alphazero: opponent_temperature is for an opponent that plays by a network: leave it out");
    if (nb::isinstance<nb::str>(given)) {
        const auto name = nb::cast<std::string>(given);
        if (name != "heuristic" && name != "random")
            throw std::invalid_argument("no opponent is named '" + name +
                                        "' here: give heuristic, random, a Network, or a function of what a seat sees");
        const Rollout rollout(name == "random" ? RolloutPolicy::kRandom : RolloutPolicy::kHeuristic,
                              Heuristic(reward.by_hand(network.rules()), network.rules()), settings.exact);
        return [rollout](const Hand& world, Rng& rng) { return rollout.choose(world, rng); };
    }
    if (!PyCallable_Check(given.ptr()))
        throw nb::type_error(("not an opponent: " + shown(given) +
                              "; give heuristic, random, a Network, or a function of what a seat sees")
                                 .c_str());
    return called(nb::borrow<nb::callable>(given));
}

}  // namespace

void bind_network_search(nb::module_& m) {
    auto owner = nb::class_<SearchPlayer>(m, "NetworkSearch", "Information-set tree search guided by the network.");
    owner
        .def(
            "__init__",
            [](SearchPlayer* self, const NetworkHolder& network, nb::handle reward, nb::handle opponent,
               const nb::kwargs& given) {
                const auto settings = with_fields("alphazero", NetworkSearchSettings{}, given);
                const RewardConfig paid = to_reward(reward, "equity", network.network->rules());
                new (self) SearchPlayer(NetworkSearch(settings, network.network, paid,
                                                      opponent_of(opponent, settings, *network.network, paid)));
            },
            "network"_a, nb::kw_only(), "reward"_a = nb::none(), "opponent"_a = nb::none(), "settings"_a,
            "The opponent answers in the worlds of a search: this network, another one, 'heuristic', 'random', or a "
            "function from what a seat sees to its slot.",
            nb::sig(kept("def __init__(self, network: Network, *, reward: RewardConfig | str | None = None, opponent: "
                         "Network | str | typing.Callable[[InformationSet], int] | None = None, " +
                         field_arguments<NetworkSearchSettings>() + ") -> None")))
        .def(
            "search",
            [](SearchPlayer& player, nb::handle position, nb::handle seed) {
                const Question question(position, seed, player.search.network().rules());
                std::vector<Candidate> found;
                {
                    const Unlocked unlocked;
                    found = player.find(question.known.now, question.belief(player.search), question.seed);
                }
                return candidate_list(question.known.now, found);
            },
            "position"_a, "seed"_a = 0,
            "The placements of a position, best first. The seed and the position fix all chance.", nb::sig(kSearch))
        .def(
            "actions",
            [](SearchPlayer& player, nb::handle positions, nb::handle seed) {
                const auto decisions = to_decisions(positions, &player.search.network().rules());
                const std::uint64_t start = to_seed(seed);
                auto out = new_array<std::int64_t>({decisions.size()});
                const Unlocked unlocked;
                for (std::size_t i = 0; i < decisions.size(); ++i) {
                    const auto found = player.find(decisions[i], Belief(), observation_key(decisions[i], start));
                    out.data()[i] = decisions[i].slots_of(found.front().placement).at[0];
                }
                return out;
            },
            "positions"_a, "seed"_a = 0, "Best actions of many positions, without a belief: int64 (N,).",
            nb::sig(kept(std::string("def actions(self, positions: ") + kPositions +
                         ", seed: int | None = 0) -> numpy.typing.NDArray[numpy.int64]")))
        .def(
            "compare",
            [](const SearchPlayer& player, nb::handle position, const std::vector<Placement>& placements, int worlds,
               nb::handle seed) {
                const Question question(position, seed, player.search.network().rules());
                verify_worlds(worlds, placements.size());
                auto out = new_array<float>({placements.size(), static_cast<std::size_t>(worlds)});
                const Unlocked unlocked;
                const auto values = player.search.compare(question.known.now, placements, worlds, question.seed);
                for (std::size_t i = 0; i < values.size(); ++i)
                    std::copy(values[i].begin(), values[i].end(), out.data() + i * static_cast<std::size_t>(worlds));
                return out;
            },
            "position"_a, "placements"_a, "worlds"_a = 400, "seed"_a = 0, nb::rv_policy::move,
            "What placements are worth in the same worlds, looked ahead as a search does, without its race and in "
            "worlds that it does not meet: points, float32 (placements, worlds).",
            nb::sig(kept(std::string("def compare(self, position: ") + kPosition +
                         ", placements: typing.Sequence[Placement], worlds: int = 400, seed: int | None = 0) -> "
                         "numpy.typing.NDArray[numpy.float32]")))
        .def(
            "statistics",
            [](const SearchPlayer& player) {
                const SearchStatistics last = player.last();
                nb::dict found;
                found["simulations"] = last.simulations;
                found["nodes"] = last.nodes;
                found["depth"] = last.depth;
                found["visits"] = last.visits;
                found["seconds"] = last.seconds;
                return found;
            },
            "Of the last search: simulations, nodes (decisions of the tree, beside the root), depth (own decisions in "
            "a "
            "row), visits (of a node, on average), seconds.",
            nb::sig("def statistics(self) -> dict[str, float]"));
    def_field_list<NetworkSearchSettings>(owner);
}

}  // namespace ofc::python
