// The referee that judges every placement of a decision.
#include "network/referee.hpp"
#include <cstring>
#include <limits>
#include "bindings/candidate.hpp"
#include "bindings/fields.hpp"
#include "bindings/network/endings.hpp"
#include "bindings/network/network.hpp"
#include "bindings/unlocked.hpp"

namespace ofc::python {

using namespace nb::literals;

namespace {

// The values of all placements world by world, with NaN where one was not played.
nb::ndarray<nb::numpy, float> table_of(const Judgement& judgement, std::vector<float> Judgement::Entry::* values) {
    std::size_t worlds = 0;
    for (const auto& entry : judgement.entries) worlds = std::max(worlds, (entry.*values).size());
    auto out = new_array<float>({judgement.entries.size(), worlds});
    std::fill_n(out.data(), judgement.entries.size() * worlds, std::numeric_limits<float>::quiet_NaN());
    for (std::size_t i = 0; i < judgement.entries.size(); ++i) {
        const auto& row = judgement.entries[i].*values;
        std::copy(row.begin(), row.end(), out.data() + i * worlds);
    }
    return out;
}

}  // namespace

void bind_referee(nb::module_& m) {
    nb::class_<Judgement>(m, "Judgement",
                          "What a referee found about every legal placement, best by the network first.")
        .def_prop_ro(
            "placements",
            [](const Judgement& judgement) {
                nb::list list;
                for (const auto& entry : judgement.entries) list.append(entry.placement);
                return list;
            },
            nb::sig("def placements(self) -> list[Placement]"))
        .def_prop_ro(
            "states",
            [](const Judgement& judgement) {
                auto out = new_array<std::uint64_t>({judgement.entries.size(), kWords});
                for (std::size_t i = 0; i < judgement.entries.size(); ++i)
                    std::memcpy(out.data() + i * kWords, &judgement.entries[i].state, sizeof(PackedState));
                return out;
            },
            "Packed states after them: uint64 (N, 8).", nb::rv_policy::move,
            nb::sig("def states(self) -> numpy.typing.NDArray[numpy.uint64]"))
        .def_prop_ro(
            "priors",
            [](const Judgement& judgement) {
                auto out = new_array<double>({judgement.entries.size()});
                for (std::size_t i = 0; i < judgement.entries.size(); ++i) out.data()[i] = judgement.entries[i].prior;
                return out;
            },
            "The network's own values, points: float64 (N,).", nb::rv_policy::move,
            nb::sig("def priors(self) -> numpy.typing.NDArray[numpy.float64]"))
        .def_prop_ro(
            "race", [](const Judgement& judgement) { return table_of(judgement, &Judgement::Entry::race); },
            "Points of the seat to act in each world of the race: float32 (N, worlds), NaN once a placement has "
            "dropped out.",
            nb::rv_policy::move, nb::sig("def race(self) -> numpy.typing.NDArray[numpy.float32]"))
        .def_prop_ro(
            "fresh", [](const Judgement& judgement) { return table_of(judgement, &Judgement::Entry::fresh); },
            "The same in the fresh worlds: float32 (N, worlds), NaN for a placement that they did not judge.",
            nb::rv_policy::move, nb::sig("def fresh(self) -> numpy.typing.NDArray[numpy.float32]"))
        .def_ro("left", &Judgement::left, "Those in the race at its end, by their places in the lists.")
        .def_ro("leader", &Judgement::leader, "The best of them by the race.")
        .def_ro("rollouts", &Judgement::rollouts, "Hands played on.");

    auto owner = nb::class_<Referee>(
        m, "Referee",
        "Judges every legal placement of a decision by playing it on: a race in common worlds names the best, fresh "
        "worlds say what it is worth.");
    owner
        .def(
            "__init__",
            [](Referee* self, const NetworkHolder* network, nb::handle reward, nb::handle rules,
               const nb::kwargs& settings) {
                const Rules* ruled = network && rules.is_none() ? &network->network->rules() : to_rules(rules);
                if (network && network->network->rules().of_a_hand() != ruled->of_a_hand())
                    throw std::invalid_argument("the network was trained for the rules '" +
                                                network->network->rules().name() + "', not for '" + ruled->name() +
                                                "': give one that was, or leave the rules out");
                new (self) Referee(with_fields("referee", RefereeSettings{}, settings),
                                   network ? network->network : nullptr, to_reward(reward, "equity", *ruled), *ruled);
            },
            "network"_a.none(), nb::kw_only(), "reward"_a = nb::none(), "rules"_a = nb::none(), "settings"_a,
            "Without a network (None) the heuristic judges and plays on.",
            nb::sig(kept("def __init__(self, network: Network | None, *, reward: RewardConfig | str | None = None, "
                         "rules: Rules | str | None = None, " +
                         field_arguments<RefereeSettings>() + ") -> None")))
        .def(
            "judge",
            [](const Referee& referee, nb::handle position, nb::handle seed, const std::vector<Placement>& asked) {
                const Knowledge known = to_decision(position, &referee.rules());
                const std::uint64_t number = to_seed(seed);
                const Unlocked unlocked;
                return referee.judge(known.now, number, asked);
            },
            "position"_a, "seed"_a = 0, "asked"_a = std::vector<Placement>(),
            "Every legal placement of a position; those asked about are judged by the fresh worlds too. The seed and "
            "the position fix the answer.",
            nb::sig(kept(std::string("def judge(self, position: ") + kPosition +
                         ", seed: int | None = 0, asked: typing.Sequence[Placement] = ()) -> Judgement")));
    owner.def(
        "play",
        [](const Referee& referee, nb::handle position, const std::vector<Placement>& placements, int worlds,
           nb::handle seed) {
            const Knowledge known = to_decision(position, &referee.rules());
            verify_worlds(worlds, placements.size());
            const std::uint64_t number = to_seed(seed);
            std::vector<std::vector<Ending>> endings;
            {
                const Unlocked unlocked;
                endings = referee.play(known.now, placements, worlds, number);
            }
            return endings_array(endings);
        },
        "position"_a, "placements"_a, "worlds"_a = 400, "seed"_a = 0, nb::rv_policy::move,
        "How placements end, each played on in the same worlds: float32 (placements, worlds, 10). The numbers are "
        "the value in points; foul, next fantasyland's cards and royalties of one's own board, then of the opponent's; "
        "and top, middle and bottom won (1), shared (0) or lost (-1).",
        nb::sig(kept(std::string("def play(self, position: ") + kPosition +
                     ", placements: typing.Sequence[Placement], worlds: int = 400, seed: int | None = 0) -> "
                     "numpy.typing.NDArray[numpy.float32]")));
    def_field_list<RefereeSettings>(owner);
}

}  // namespace ofc::python
