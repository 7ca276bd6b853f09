// Searches that need no training.
#include "bindings/candidate.hpp"
#include "bindings/fields.hpp"
#include "bindings/search/search.hpp"
#include "bindings/unlocked.hpp"
#include "search/ismcts.hpp"

namespace ofc::python {

using namespace nb::literals;

namespace {

// A decision in a hand whose every card is known.
struct OpenQuestion {
    InformationSet info;
    std::uint64_t seed;

    OpenQuestion(const Hand& hand, nb::handle player_seed, const Rules& rules) {
        if (hand.finished() || hand.sets_fantasyland())
            throw std::invalid_argument("nobody is to choose an action in this hand");
        info = information_set(hand, hand.player);
        info.verify_played_by(rules, "player");
        seed = observation_key(info, to_seed(player_seed));
    }
};

// A search and the tree that it made last.
struct IsmctsPlayer {
    Ismcts search;

    IsmctsPlayer(const IsmctsSettings& settings, const Heuristic& heuristic) : search(settings, heuristic) {}
    Ismcts::Found find(const Question& question) {
        return keep(
            search.search(question.known.now, question.belief(search), question.seed, question.first_step_seed));
    }
    Ismcts::Found keep(Ismcts::Found tree) {
        const std::lock_guard lock(mutex_);
        return last_ = std::move(tree);
    }
    Ismcts::Found last() const {
        const std::lock_guard lock(mutex_);
        return last_;
    }

private:
    mutable std::mutex mutex_;
    Ismcts::Found last_;
};

}  // namespace

void bind_searches(nb::module_& m) {
    auto pimc = nb::class_<Pimc>(m, "Pimc", "Perfect-information Monte Carlo over worlds dealt from the unseen cards.");
    pimc.def(
            "__init__",
            [](Pimc* self, nb::handle reward, nb::handle rules, const nb::kwargs& settings) {
                new (self) Pimc(with_fields("pimc", PimcSettings{}, settings), heuristic_of(reward, rules));
            },
            nb::kw_only(), "reward"_a = nb::none(), "rules"_a = nb::none(), "settings"_a,
            nb::sig(search_arguments<PimcSettings>()))
        .def(
            "search",
            [](const Pimc& search, nb::handle position, nb::handle seed) {
                const Question question(position, seed, search.heuristic().rules());
                std::vector<Candidate> found;
                {
                    const Unlocked unlocked;
                    found = search.search(question.known.now, question.belief(search), question.seed);
                }
                return candidate_list(question.known.now, found);
            },
            "position"_a, "seed"_a = 0,
            "The placements of a position, best first. The seed and the position fix all chance.", nb::sig(kSearch));
    def_field_list<PimcSettings>(pimc);

    auto ismcts = nb::class_<IsmctsPlayer>(m, "Ismcts", "Information-set Monte Carlo tree search with playouts.");
    ismcts
        .def(
            "__init__",
            [](IsmctsPlayer* self, nb::handle reward, nb::handle rules, const nb::kwargs& settings) {
                new (self) IsmctsPlayer(with_fields("ismcts", IsmctsSettings{}, settings), heuristic_of(reward, rules));
            },
            nb::kw_only(), "reward"_a = nb::none(), "rules"_a = nb::none(), "settings"_a,
            nb::sig(search_arguments<IsmctsSettings>()))
        .def(
            "choose",
            [](IsmctsPlayer& player, nb::handle position, nb::handle seed) {
                const Question question(position, seed, player.search.heuristic().rules());
                const Unlocked unlocked;
                return player.find(question)->best_action();
            },
            "position"_a, "seed"_a = 0,
            "The most visited slot. The second step of an opening goes on in the tree of its first.",
            nb::sig(kept(std::string("def choose(self, position: ") + kPosition + ", seed: int | None = 0) -> int")))
        .def(
            "search",
            [](IsmctsPlayer& player, nb::handle position, nb::handle seed) {
                const Question question(position, seed, player.search.heuristic().rules());
                std::vector<Candidate> found;
                {
                    const Unlocked unlocked;
                    found = player.find(question)->candidates();
                }
                return candidate_list(question.known.now, found);
            },
            "position"_a, "seed"_a = 0,
            "The placements that the tree has visited: the one that is played first, then by mean.", nb::sig(kSearch))
        .def(
            "choose_open",
            [](IsmctsPlayer& player, Hand hand, nb::handle seed) {
                const OpenQuestion question(hand, seed, player.search.heuristic().rules());
                const Unlocked unlocked;
                return player.keep(player.search.search_open(hand, question.seed))->best_action();
            },
            "hand"_a, "seed"_a = 0, "choose() on the true hand, hidden cards and all: for comparison only.",
            nb::sig("def choose_open(self, hand: Hand, seed: int | None = 0) -> int"))
        .def(
            "search_open",
            [](IsmctsPlayer& player, Hand hand, nb::handle seed) {
                const OpenQuestion question(hand, seed, player.search.heuristic().rules());
                std::vector<Candidate> found;
                {
                    const Unlocked unlocked;
                    found = player.keep(player.search.search_open(hand, question.seed))->candidates();
                }
                return candidate_list(question.info, found);
            },
            "hand"_a, "seed"_a = 0, "search() on the true hand, hidden cards and all: for comparison only.",
            nb::sig("def search_open(self, hand: Hand, seed: int | None = 0) -> list[Candidate]"))
        .def(
            "visits",
            [](const IsmctsPlayer& player, nb::handle position) {
                const InformationSet info = to_decision(position, &player.search.heuristic().rules()).now;
                const auto tree = player.last();
                return tree ? tree->visits(info) : 0;
            },
            "position"_a, "Visits of an information set in the tree of the last search.")
        .def_prop_ro(
            "nodes",
            [](const IsmctsPlayer& player) {
                const auto tree = player.last();
                return tree ? tree->nodes() : 0;
            },
            "Nodes of the last search's tree.")
        .def_prop_ro(
            "simulations",
            [](const IsmctsPlayer& player) {
                const auto tree = player.last();
                return tree ? tree->simulations() : 0;
            },
            "Simulations of the last search.");
    def_field_list<IsmctsSettings>(ismcts);
}

}  // namespace ofc::python
