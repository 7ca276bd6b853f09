// The batched environment.
#include <algorithm>

#include "bindings/bindings.hpp"
#include "bindings/env/actions.hpp"
#include "bindings/unlocked.hpp"
#include "env/batch_env.hpp"

namespace ofc::python {

using namespace nb::literals;

namespace {

// A numpy view of a buffer that lives as long as its environment.
template <class T>
nb::ndarray<nb::numpy, T> view(BatchEnv& env, T* data, std::initializer_list<std::size_t> tail) {
    std::vector<std::size_t> shape{static_cast<std::size_t>(env.size())};
    shape.insert(shape.end(), tail);
    return nb::ndarray<nb::numpy, T>(data, shape.size(), shape.data(), nb::find(env));
}

std::vector<int> to_environments(nb::handle envs) {
    if (PySequence_Check(envs.ptr()) == 0)
        throw nb::type_error(("not a sequence of environments: " + shown(envs)).c_str());
    std::vector<int> list;
    for (const nb::handle env : envs) list.push_back(to_integer(env, "an environment"));
    return list;
}

// What each of `n` environments starts with, from one sequence a kind; None leaves all of it, or one entry, to chance.
std::vector<EpisodeStart> to_starts(std::size_t n, nb::handle buttons, nb::handle chips, nb::handle decks) {
    std::vector<EpisodeStart> starts(n);
    const auto read = [&](nb::handle entries, const char* what, auto&& take) {
        if (entries.is_none()) return;
        if (PySequence_Check(entries.ptr()) == 0)
            throw nb::type_error((std::string("not a sequence of ") + what + ": " + shown(entries)).c_str());
        if (nb::len(entries) != n)
            throw std::invalid_argument(std::to_string(nb::len(entries)) + " " + what + " for " + std::to_string(n) +
                                        " environments: give one each, or None");
        for (std::size_t i = 0; i < n; ++i) {
            const nb::object entry = entries[i];
            if (!entry.is_none()) take(starts[i], entry);
        }
    };
    read(buttons, "buttons", [](EpisodeStart& start, nb::handle button) { start.button = to_seat(button); });
    read(chips, "chips", [](EpisodeStart& start, nb::handle pair) { start.chips = to_pair(pair, "chips"); });
    read(decks, "decks", [](EpisodeStart& start, nb::handle deck) {
        start.deck = to_cards(deck);
        if (start.deck.empty()) throw std::invalid_argument("a deck has 54 cards, not 0");
    });
    return starts;
}

nb::ndarray<nb::numpy, std::int32_t> row_royalties(const nb::ndarray<nb::ro>& observations, nb::handle rules) {
    const std::size_t n = observations.ndim() ? observations.shape(0) : 0;
    const float* numbers = numbers_of<float>(observations, {n, kObservation}, "observations");
    const Rules& ruled = *to_rules(rules);
    auto royalties = new_array<std::int32_t>({n, 2 * kRows});
    for (std::size_t i = 0; i < n; ++i)
        std::ranges::copy(finished_row_royalties(numbers + i * kObservation, ruled), royalties.data() + i * 2 * kRows);
    return royalties;
}

}  // namespace

void bind_batch(nb::module_& m) {
    nb::class_<BatchEnv>(m, "BatchEnv",
                         "Many environments stepped at once, natively, over numpy buffers that are refreshed in "
                         "place.\n\nAn episode that ends starts anew at once.")
        .def(
            "__init__",
            [](BatchEnv* self, int num_envs, nb::handle seed, const std::string& episode, nb::handle reward,
               nb::handle rules, bool terminal) {
                if (episode != "hand" && episode != "session")
                    throw std::invalid_argument("unknown episode '" + episode + "': choose hand or session");
                const Rules* ruled = to_rules(rules);
                new (self) BatchEnv(num_envs, to_seed(seed), episode == "session", to_reward(reward, "points", *ruled),
                                    ruled, terminal);
            },
            "num_envs"_a, "seed"_a = 0, "episode"_a = "hand", "reward"_a = nb::none(), "rules"_a = nb::none(),
            "terminal_observations"_a = false,
            nb::sig("def __init__(self, num_envs: int, seed: int | None = 0, episode: str = 'hand', reward: "
                    "RewardConfig | str | None = None, rules: Rules | None = None, "
                    "terminal_observations: bool = False) -> None"))
        .def_prop_ro("num_envs", &BatchEnv::size)
        .def_prop_ro(
            "observations", [](BatchEnv& e) { return view(e, e.observations.data(), {kObservation}); },
            "float32 (N, 490) of the seats to act.")
        .def_prop_ro(
            "action_masks", [](BatchEnv& e) { return view(e, e.masks.data(), {kActions}); },
            "int8 (N, 150) of the seats to act.")
        .def_prop_ro(
            "players", [](BatchEnv& e) { return view(e, e.players.data(), {}); }, "int8 (N,): seat to act.")
        .def_prop_ro(
            "buttons", [](BatchEnv& e) { return view(e, e.buttons.data(), {}); }, "int8 (N,): seat of the button.")
        .def_prop_ro(
            "rewards", [](BatchEnv& e) { return view(e, e.rewards.data(), {2}); },
            "float32 (N, 2): rewards of the last step, by seat.")
        .def_prop_ro(
            "dones", [](BatchEnv& e) { return view(e, e.dones.get(), {}); },
            "bool (N,): whether an episode ended in the last step.")
        .def_prop_ro(
            "hand_ends", [](BatchEnv& e) { return view(e, e.hand_ends.get(), {}); },
            "bool (N,): whether a hand ended in the last step.")
        .def_prop_ro(
            "fouls", [](BatchEnv& e) { return view(e, e.fouls.get(), {2}); },
            "bool (N, 2): fouls of the hand that ended last.")
        .def_prop_ro(
            "royalties", [](BatchEnv& e) { return view(e, e.royalties.data(), {2}); },
            "float32 (N, 2): royalties of the hand that ended last.")
        .def_prop_ro(
            "fantasyland", [](BatchEnv& e) { return view(e, e.fantasyland.data(), {2}); },
            "int8 (N, 2): fantasyland widths won by the hand that ended last.")
        .def_prop_ro(
            "terminal_observations",
            [](BatchEnv& e) {
                if (e.terminal_observations.empty())
                    throw std::invalid_argument(
                        "terminal observations are off; ask for them with terminal_observations=True");
                return view(e, e.terminal_observations.data(), {2, kObservation});
            },
            "float32 (N, 2, 490): what each seat saw at the end of the episode that ended last.")
        .def(
            "step",
            [](BatchEnv& e, const nb::ndarray<nb::ro>& array) {
                const auto actions = to_actions(array, e.size());
                const Unlocked unlocked;
                const std::lock_guard lock(e.busy);
                e.step(actions);
            },
            "actions"_a, "One action an environment (int64 or int32, (N,)); -1 leaves that environment alone.",
            nb::sig("def step(self, actions: numpy.typing.NDArray[typing.Any]) -> None"))
        .def(
            "random_actions",
            [](BatchEnv& e) {
                auto out = new_array<std::int64_t>({static_cast<std::size_t>(e.size())});
                const Unlocked unlocked;
                const std::lock_guard lock(e.busy);
                e.random_actions({out.data(), static_cast<std::size_t>(e.size())});
                return out;
            },
            "A uniformly random legal action for every environment: int64 (N,).")
        .def(
            "reset",
            [](BatchEnv& e, nb::handle seed, nb::handle envs, nb::handle buttons, nb::handle chips, nb::handle decks) {
                const std::uint64_t start = to_seed(seed);
                if (envs.is_none()) {
                    if (!buttons.is_none() || !chips.is_none() || !decks.is_none())
                        throw std::invalid_argument("name the environments that buttons, chips and decks are for");
                    const Unlocked unlocked;
                    const std::lock_guard lock(e.busy);
                    e.reset(start);
                    return;
                }
                const std::vector<int> some = to_environments(envs);
                const std::vector<EpisodeStart> starts = to_starts(some.size(), buttons, chips, decks);
                const Unlocked unlocked;
                const std::lock_guard lock(e.busy);
                e.reset(start, some, starts);
            },
            "seed"_a = nb::none(), "envs"_a = nb::none(), "buttons"_a = nb::none(), "chips"_a = nb::none(),
            "decks"_a = nb::none(),
            "Start every environment anew, or those of the numbers `envs`: these with a button, a pair of chips and a "
            "deck each, where one is given.",
            nb::sig("def reset(self, seed: int | None = None, envs: typing.Sequence[int] | None = None, buttons: "
                    "typing.Sequence[int | None] | None = None, chips: typing.Sequence[typing.Sequence[int] | None] | "
                    "None = None, decks: typing.Sequence[typing.Iterable[str | int] | None] | None = None) -> None"))
        .def(
            "skip",
            [](BatchEnv& e, nb::handle envs) {
                const std::vector<int> some = to_environments(envs);
                const Unlocked unlocked;
                const std::lock_guard lock(e.busy);
                e.skip(some);
            },
            "envs"_a, "Leave the episodes in play at these environments for their next ones; nothing is paid.",
            nb::sig("def skip(self, envs: typing.Sequence[int]) -> None"))
        .def(
            "hand",
            [](const BatchEnv& e, int env) {
                if (env < 0 || env >= e.size())
                    throw std::invalid_argument("there is no environment " + std::to_string(env) + "; they are 0 to " +
                                                std::to_string(e.size() - 1));
                const Unlocked unlocked;
                const std::lock_guard lock(e.busy);
                return e.hand(env);
            },
            "env"_a, "A copy of the hand being played in one environment.");

    m.def(
        "row_royalties", &row_royalties, "observations"_a, "rules"_a = nb::none(),
        "int32 (N, 6): royalties of the finished rows of float32 (N, 490), each read by itself: the observer's top to "
        "bottom, then the opponent's; 0 for a row that is not full.",
        nb::sig("def row_royalties(observations: numpy.typing.NDArray[typing.Any], rules: Rules | str | None = None) "
                "-> numpy.typing.NDArray[numpy.int32]"));
}

}  // namespace ofc::python
