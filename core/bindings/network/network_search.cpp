// The search on the network.
#include "network/network_search.hpp"
#include "bindings/network/network.hpp"
#include "bindings/search/search.hpp"
#include "bindings/unlocked.hpp"

namespace ofc::python {

using namespace nb::literals;

void bind_network_search(nb::module_& m) {
    auto owner = nb::class_<NetworkSearch>(m, "NetworkSearch", "Information-set tree search guided by the network.");
    owner
        .def(
            "__init__",
            [](NetworkSearch* self, const NetworkHolder& network, nb::handle reward, const nb::kwargs& settings) {
                new (self) NetworkSearch(with_fields("alphazero", NetworkSearchSettings{}, settings), network.network,
                                         to_reward(reward, "equity", network.network->rules()));
            },
            "network"_a, nb::kw_only(), "reward"_a = nb::none(), "settings"_a,
            nb::sig(kept("def __init__(self, network: Network, *, reward: RewardConfig | str | None = None, " +
                         field_arguments<NetworkSearchSettings>() + ") -> None")))
        .def(
            "search",
            [](NetworkSearch& search, nb::handle position, nb::handle seed) {
                const Question question(position, seed);
                std::vector<Candidate> found;
                {
                    const Unlocked unlocked;
                    found = search.search(question.known.now, question.belief(search), question.seed);
                }
                return candidate_list(question.known.now, found);
            },
            "position"_a, "seed"_a = 0,
            "The placements of a position, best first. The seed and the position fix all chance.", nb::sig(kSearch))
        .def(
            "actions",
            [](NetworkSearch& search, nb::handle positions, nb::handle seed) {
                const auto decisions = to_decisions(positions);
                const std::uint64_t start = to_seed(seed);
                auto out = new_array<std::int64_t>({decisions.size()});
                const Unlocked unlocked;
                for (std::size_t i = 0; i < decisions.size(); ++i) {
                    const auto found = search.search(decisions[i], Belief(), observation_key(decisions[i], start));
                    out.data()[i] = decisions[i].slots_of(found.front().placement).at[0];
                }
                return out;
            },
            "positions"_a, "seed"_a = 0, "Best actions of many positions, without a belief: int64 (N,).",
            nb::sig(kept(std::string("def actions(self, positions: ") + kPositions +
                         ", seed: int | None = 0) -> numpy.typing.NDArray[numpy.int64]")))
        .def_prop_ro("nodes", &NetworkSearch::nodes, "Nodes of the last search's tree.")
        .def_prop_ro("simulations_done", &NetworkSearch::simulations_done, "Simulations of the last search.");
    def_field_list<NetworkSearchSettings>(owner);
}

}  // namespace ofc::python
