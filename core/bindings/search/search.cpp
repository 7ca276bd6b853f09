// Players that need no training: the heuristic, Monte-Carlo and tree search.
#include <algorithm>
#include <cmath>

#include "bindings/bindings.hpp"
#include "search/ismcts.hpp"

namespace ofc::python {

using namespace nb::literals;

// Throws unless the seat has a turn's cards to place.
void verify_to_place(const InformationSet& info, const std::string& what) {
    const int held = count(info.in_hand);
    if (held == 0) throw std::invalid_argument(what + " has no cards in hand: that seat is not to act");
    if (held > 5)
        throw std::invalid_argument(what + " is a fantasyland hand of " + std::to_string(held) +
                                    " cards: set it with solve_fantasyland");
}

std::vector<InformationSet> decode_all(const nb::ndarray<nb::ro>& observations) {
    if (observations.ndim() != 2)
        throw std::invalid_argument("observations should have shape (N, 490), not be " + array_text(observations));
    const std::size_t n = observations.shape(0);
    const float* data = numbers_of<float>(observations, {n, kObservation}, "observations");
    std::vector<InformationSet> list;
    for (std::size_t i = 0; i < n; ++i) {
        list.push_back(decode_observation({data + i * kObservation, kObservation}));
        verify_to_place(list.back(), "observation " + std::to_string(i));
    }
    return list;
}

// First slot of a placement for a seat that sees this.
int slot_of(const InformationSet& info, const Placement& placement) {
    if (info.turn > 0) return turn_slot(info.in_hand, placement);
    if (info.opening_step) return kOpeningTop + static_cast<int>(bits_of(info.in_hand, placement.rows[kTop]));
    return kOpeningBottom + static_cast<int>(bits_of(info.in_hand, placement.rows[kBottom]));
}

// (actions, placement, mean, error, rollouts, foul, fantasyland, royalties) of each candidate.
nb::list candidate_list(const InformationSet& info, const std::vector<Candidate>& candidates) {
    nb::list list;
    for (const Candidate& c : candidates) {
        nb::list actions;
        actions.append(slot_of(info, c.placement));
        const CardSet rest = info.in_hand & ~c.placement.rows[kBottom];
        if (info.turn == 0 && !info.opening_step && rest)
            actions.append(kOpeningTop + static_cast<int>(bits_of(rest, c.placement.rows[kTop])));
        list.append(nb::make_tuple(nb::tuple(actions), c.placement, c.mean, c.error, c.rollouts, c.foul, c.fantasyland,
                                   c.royalties));
    }
    return list;
}

namespace {

InformationSet decode(const nb::ndarray<nb::ro>& observation) {
    const InformationSet info = information_of(observation);
    verify_to_place(info, "the observation");
    return info;
}

std::vector<InformationSet> decisions_of(const nb::ndarray<nb::ro>& history) {
    std::vector<InformationSet> decisions = decode_all(history);
    if (decisions.empty()) throw std::invalid_argument("the history of decisions is empty");
    return decisions;
}

std::shared_ptr<const LeafEvaluator> make_leaf(const std::string& name, const Heuristic& heuristic, bool exact) {
    if (name == "random") return std::make_shared<RolloutEvaluator>(Rollout(RolloutPolicy::kRandom, heuristic, exact));
    if (name == "heuristic")
        return std::make_shared<RolloutEvaluator>(Rollout(RolloutPolicy::kHeuristic, heuristic, exact));
    if (name == "beam") return std::make_shared<BeamEvaluator>(Rollout(RolloutPolicy::kHeuristic, heuristic, exact));
    throw std::invalid_argument("unknown leaf evaluator '" + name + "': choose random, heuristic or beam");
}

Heuristic heuristic_of(nb::handle reward, nb::handle rules) {
    return Heuristic(to_reward(reward, "equity"), *to_rules(rules));
}

const char* kCandidates = "list[tuple[tuple[int, ...], Placement, float, float, int, float, float, float]]";

void verify_positive(double value, const char* what) {
    if (!(value > 0))
        throw std::invalid_argument(std::string(what) + " is " + std::to_string(value) + "; it must be positive");
}

}  // namespace

void bind_search(nb::module_& m) {
    static const std::string rank_signature =
        std::string("def rank(self, observation: numpy.typing.NDArray[numpy.float32]) -> ") + kCandidates;
    nb::class_<Heuristic>(m, "Heuristic", "Hand-written placement sense, natively and in batches.")
        .def(
            "__init__",
            [](Heuristic* self, nb::handle reward, nb::handle rules, const std::optional<std::vector<float>>& weights) {
                HeuristicWeights w;
                if (weights) {
                    if (weights->size() != 7)
                        throw std::invalid_argument("the heuristic has 7 weights, not " +
                                                    std::to_string(weights->size()));
                    w = {(*weights)[0], (*weights)[1], (*weights)[2], (*weights)[3],
                         (*weights)[4], (*weights)[5], (*weights)[6]};
                }
                new (self) Heuristic(to_reward(reward, "equity"), *to_rules(rules), w);
            },
            "reward"_a = nb::none(), "rules"_a = nb::none(), "weights"_a = nb::none(),
            nb::sig("def __init__(self, reward: RewardConfig | str | None = None, rules: Rules | None = None, weights: "
                    "typing.Sequence[float] | None = None) -> None"))
        .def_prop_ro_static(
            "default_weights",
            [](nb::handle) {
                const HeuristicWeights w;
                return std::vector<float>{w.contention, w.new_pair, w.steering,   w.spread,
                                          w.foul_cost,  w.strength, w.fantasyland};
            },
            "Contention, new pair, steering, spread, foul cost, strength, fantasyland.")
        .def(
            "actions",
            [](const Heuristic& h, const nb::ndarray<nb::ro>& observations) {
                const auto decisions = decode_all(observations);
                auto out = new_array<std::int64_t>({decisions.size()});
                nb::gil_scoped_release release;
                for (std::size_t i = 0; i < decisions.size(); ++i)
                    out.data()[i] = slot_of(decisions[i], h.best(position_of(decisions[i])));
                return out;
            },
            "observations"_a, "Best actions of float32 (N, 490) observations: int64 (N,).",
            nb::sig("def actions(self, observations: numpy.typing.NDArray[numpy.float32]) -> "
                    "numpy.typing.NDArray[numpy.int64]"))
        .def(
            "rank",
            [](const Heuristic& h, const nb::ndarray<nb::ro>& observation) {
                const InformationSet info = decode(observation);
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
            "observation"_a, "Every placement with its value, best first.", nb::sig(rank_signature.c_str()))
        .def(
            "play_out",
            [](const Heuristic& h, const Hand& hand, std::int64_t count, nb::handle seed, bool random) {
                if (hand.finished()) throw std::invalid_argument("the hand is finished: there is nothing to play out");
                if (hand.sets_fantasyland())
                    throw std::invalid_argument("a fantasyland hand is to be set first: there is nothing to play out");
                if (count < 1) throw std::invalid_argument("cannot play out " + std::to_string(count) + " worlds");
                const RolloutEvaluator leaf(
                    Rollout(random ? RolloutPolicy::kRandom : RolloutPolicy::kHeuristic, h, true));
                Rng rng(to_seed(seed));
                double total = 0.0;
                nb::gil_scoped_release release;
                for (std::int64_t i = 0; i < count; ++i) {
                    Hand world = determinize(hand, hand.player, rng);
                    total += leaf.evaluate(world, rng).value;
                }
                return total / static_cast<double>(count);
            },
            "hand"_a, "count"_a, "seed"_a = 0, "random"_a = false,
            "Mean value for seat 0 of a hand played out in `count` worlds.",
            nb::sig("def play_out(self, hand: Hand, count: int, seed: int | None = 0, random: bool = False) -> float"));

    nb::class_<Belief>(m, "Belief",
                       "How likely each unseen card is among the opponent's discards, from what it placed.")
        .def(
            "__init__",
            [](Belief* self, const nb::ndarray<nb::ro>& history, double temperature, double floor,
               double smallest_share, nb::handle reward, nb::handle rules) {
                verify_positive(temperature, "temperature");
                new (self)
                    Belief(decisions_of(history), heuristic_of(reward, rules), {temperature, floor, smallest_share});
            },
            "history"_a, "temperature"_a = Belief::Settings{}.temperature, "floor"_a = Belief::Settings{}.floor,
            "smallest_share"_a = Belief::Settings{}.smallest_share, "reward"_a = nb::none(), "rules"_a = nb::none(),
            nb::sig("def __init__(self, history: numpy.typing.NDArray[numpy.float32], temperature: float = 1.5, floor: "
                    "float = 0.02, smallest_share: float = 0.1, "
                    "reward: RewardConfig | str | None = None, rules: Rules | None = None) -> None"))
        .def_prop_ro("turns", &Belief::turns, "Turns with a discard so far.")
        .def(
            "weights",
            [](const Belief& b, int turn) {
                if (turn < 1 || turn > b.turns())
                    throw std::invalid_argument("turn " + std::to_string(turn) + " has no discard yet; there are " +
                                                std::to_string(b.turns()));
                return b.weights(turn - 1);
            },
            "turn"_a, "Weight of each of the 54 cards as the discard of a turn; all zero where nothing is known.")
        .def(
            "log_likelihood",
            [](const Belief& b, nb::handle unseen, nb::handle discards) {
                return b.log_likelihood(to_card_set(unseen, "unseen cards"), to_cards(discards));
            },
            "unseen"_a, "discards"_a, "Log-likelihood of the discards by turn: (by this belief, drawn uniformly).",
            nb::sig("def log_likelihood(self, unseen: str | typing.Iterable[str | int], discards: str | "
                    "typing.Iterable[str | int]) -> tuple[float, float]"));

    static const std::string search_signature =
        std::string("def search(self, history: numpy.typing.NDArray[numpy.float32], seed: int | None) -> ") +
        kCandidates;
    struct PimcPlayer {
        Pimc search;
        Heuristic heuristic;
        bool belief;
    };
    nb::class_<PimcPlayer>(m, "Pimc", "Perfect-information Monte Carlo over worlds dealt from the unseen cards.")
        .def(
            "__init__",
            [](PimcPlayer* self, int rollouts, const std::string& leaf, bool race, bool exact, bool belief,
               int opening_width, double risk, double seconds, nb::handle reward, nb::handle rules) {
                verify_positive(rollouts, "rollouts");
                verify_positive(opening_width, "opening_width");
                const Heuristic heuristic = heuristic_of(reward, rules);
                const PimcSettings settings{rollouts, opening_width, race, exact, risk, seconds};
                new (self) PimcPlayer{Pimc(settings, heuristic, make_leaf(leaf, heuristic, exact)), heuristic, belief};
            },
            "rollouts"_a = PimcSettings{}.rollouts, "leaf"_a = "heuristic", "race"_a = true, "exact"_a = true,
            "belief"_a = false, "opening_width"_a = PimcSettings{}.opening_width, "risk"_a = 0.0, "seconds"_a = 0.0,
            "reward"_a = nb::none(), "rules"_a = nb::none(),
            nb::sig(
                "def __init__(self, rollouts: int = 1000, leaf: str = 'heuristic', race: bool = True, exact: bool = "
                "True, belief: bool = False, opening_width: int = 32, risk: float = 0.0, "
                "seconds: float = 0.0, reward: RewardConfig | str | None = None, rules: Rules | None = None) -> None"))
        .def(
            "search",
            [](const PimcPlayer& player, const nb::ndarray<nb::ro>& history, nb::handle seed) {
                const auto decisions = decisions_of(history);
                const std::uint64_t start = to_seed(seed);
                std::vector<Candidate> found;
                {
                    nb::gil_scoped_release release;
                    const Belief belief = player.belief ? Belief(decisions, player.heuristic) : Belief();
                    found = player.search.search(decisions.back(), belief, start);
                }
                return candidate_list(decisions.back(), found);
            },
            "history"_a, "seed"_a.none(),
            "Candidates of the last of the seat's own decisions (k, 490) in this hand, best first: (actions, "
            "placement, mean, error, rollouts, foul, fantasyland, royalties).",
            nb::sig(search_signature.c_str()));

    struct IsmctsPlayer {
        Ismcts search;
        Heuristic heuristic;
        bool belief;
    };
    nb::class_<IsmctsPlayer>(m, "Ismcts", "Information-set Monte Carlo tree search with playouts.")
        .def(
            "__init__",
            [](IsmctsPlayer* self, int simulations, const std::string& leaf, double exploration, bool widen, bool exact,
               bool belief, int max_nodes, nb::handle reward, nb::handle rules) {
                verify_positive(simulations, "simulations");
                verify_positive(max_nodes, "max_nodes");
                const Heuristic heuristic = heuristic_of(reward, rules);
                IsmctsSettings settings;
                settings.simulations = simulations;
                settings.exploration = exploration;
                settings.widen = widen;
                settings.exact = exact;
                settings.max_nodes = max_nodes;
                new (self)
                    IsmctsPlayer{Ismcts(settings, heuristic, make_leaf(leaf, heuristic, exact)), heuristic, belief};
            },
            "simulations"_a = IsmctsSettings{}.simulations, "leaf"_a = "heuristic",
            "exploration"_a = IsmctsSettings{}.exploration, "widen"_a = true, "exact"_a = true, "belief"_a = false,
            "max_nodes"_a = IsmctsSettings{}.max_nodes, "reward"_a = nb::none(), "rules"_a = nb::none(),
            nb::sig("def __init__(self, simulations: int = 2000, leaf: str = 'heuristic', exploration: float = 0.7, "
                    "widen: bool = True, exact: bool = True, belief: bool = False, "
                    "max_nodes: int = 65536, reward: RewardConfig | str | None = None, rules: Rules | None = None) -> "
                    "None"))
        .def(
            "search",
            [](IsmctsPlayer& player, const nb::ndarray<nb::ro>& history, nb::handle seed) {
                const auto decisions = decisions_of(history);
                const std::uint64_t start = to_seed(seed);
                {
                    nb::gil_scoped_release release;
                    player.search.search(decisions.back(),
                                         player.belief ? Belief(decisions, player.heuristic) : Belief(), start);
                }
                return player.search.best_action();
            },
            "history"_a, "seed"_a.none(),
            "Most visited action of the last of the seat's own decisions (k, 490) in this hand.",
            nb::sig("def search(self, history: numpy.typing.NDArray[numpy.float32], seed: int | None) -> int"))
        .def(
            "search_open",
            [](IsmctsPlayer& player, const Hand& hand, nb::handle seed) {
                if (hand.finished() || hand.sets_fantasyland())
                    throw std::invalid_argument("nobody is to choose an action in this hand");
                const std::uint64_t start = to_seed(seed);
                {
                    nb::gil_scoped_release release;
                    player.search.search_open(hand, start);
                }
                return player.search.best_action();
            },
            "hand"_a, "seed"_a.none(), "The same on the true hand, hidden cards and all: for comparison only.",
            nb::sig("def search_open(self, hand: Hand, seed: int | None) -> int"))
        .def(
            "candidates",
            [](const IsmctsPlayer& player, const nb::ndarray<nb::ro>& observation) {
                return candidate_list(decode(observation), player.search.candidates());
            },
            "observation"_a, "Placements of the last search, most visited first.",
            nb::sig((std::string("def candidates(self, observation: numpy.typing.NDArray[numpy.float32]) -> ") +
                     kCandidates)
                        .c_str()))
        .def(
            "visits",
            [](const IsmctsPlayer& player, const nb::ndarray<nb::ro>& observation) {
                return player.search.visits(decode(observation));
            },
            "observation"_a, "Visits of an information set in the tree.")
        .def(
            "forget", [](IsmctsPlayer& player) { player.search.forget(); }, "Drop the tree.")
        .def_prop_ro(
            "nodes", [](const IsmctsPlayer& player) { return player.search.nodes(); }, "Nodes of the tree.")
        .def_prop_ro(
            "simulations", [](const IsmctsPlayer& player) { return player.search.simulations(); },
            "Simulations of the last search.");
}

}  // namespace ofc::python
