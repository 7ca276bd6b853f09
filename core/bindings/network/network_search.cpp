// The search on the network.
#include <atomic>

#include "bindings/network/network.hpp"
#include "bindings/search/search.hpp"
#include "bindings/unlocked.hpp"
#include "network/network_search.hpp"

namespace ofc::python {

using namespace nb::literals;

namespace {

struct SearchPlayer {
    NetworkSearch search;
    std::atomic<std::int64_t> simulations{0};  // of the search that ended last
    std::atomic<std::size_t> nodes{0};

    explicit SearchPlayer(NetworkSearch its_search) : search(std::move(its_search)) {}
    std::vector<Candidate> find(const InformationSet& info, const Belief& belief, std::uint64_t seed) {
        SearchStatistics statistics;
        auto found = search.search(info, belief, seed, nullptr, &statistics);
        simulations = statistics.simulations;
        nodes = statistics.nodes;
        return found;
    }
};

}  // namespace

void bind_network_search(nb::module_& m) {
    auto owner = nb::class_<SearchPlayer>(m, "NetworkSearch", "Information-set tree search guided by the network.");
    owner
        .def(
            "__init__",
            [](SearchPlayer* self, const NetworkHolder& network, nb::handle reward, const nb::kwargs& settings) {
                new (self)
                    SearchPlayer(NetworkSearch(with_fields("alphazero", NetworkSearchSettings{}, settings),
                                               network.network, to_reward(reward, "equity", network.network->rules())));
            },
            "network"_a, nb::kw_only(), "reward"_a = nb::none(), "settings"_a,
            nb::sig(kept("def __init__(self, network: Network, *, reward: RewardConfig | str | None = None, " +
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
        .def_prop_ro(
            "nodes", [](const SearchPlayer& player) { return player.nodes.load(); }, "Nodes of the last search's tree.")
        .def_prop_ro(
            "simulations_done", [](const SearchPlayer& player) { return player.simulations.load(); },
            "Simulations of the last search.");
    def_field_list<NetworkSearchSettings>(owner);
}

}  // namespace ofc::python
