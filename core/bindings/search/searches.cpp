// Searches that need no training.
#include "bindings/candidate.hpp"
#include "bindings/fields.hpp"
#include "bindings/search/search.hpp"
#include "search/ismcts.hpp"

namespace ofc::python {

using namespace nb::literals;

namespace {

// Searches a hand whose every card is known; what its seat to act knows.
InformationSet search_open(Ismcts& search, const Hand& hand, nb::handle seed) {
    if (hand.finished() || hand.sets_fantasyland())
        throw std::invalid_argument("nobody is to choose an action in this hand");
    const InformationSet info = information_set(hand, hand.player);
    const std::uint64_t start = observation_key(info, to_seed(seed));
    nb::gil_scoped_release release;
    search.search_open(hand, start);
    return info;
}

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
                const Question question(position, seed);
                std::vector<Candidate> found;
                {
                    nb::gil_scoped_release release;
                    found = search.search(question.known.now, question.belief(search), question.seed);
                }
                return candidate_list(question.known.now, found);
            },
            "position"_a, "seed"_a = 0,
            "The placements of a position, best first. The seed and the position fix all chance.", nb::sig(kSearch));
    def_field_list<PimcSettings>(pimc);

    auto ismcts = nb::class_<Ismcts>(m, "Ismcts", "Information-set Monte Carlo tree search with playouts.");
    ismcts
        .def(
            "__init__",
            [](Ismcts* self, nb::handle reward, nb::handle rules, const nb::kwargs& settings) {
                new (self) Ismcts(with_fields("ismcts", IsmctsSettings{}, settings), heuristic_of(reward, rules));
            },
            nb::kw_only(), "reward"_a = nb::none(), "rules"_a = nb::none(), "settings"_a,
            nb::sig(search_arguments<IsmctsSettings>()))
        .def(
            "choose",
            [](Ismcts& search, nb::handle position, nb::handle seed) {
                const Question question(position, seed);
                nb::gil_scoped_release release;
                search.search(question.known.now, question.belief(search), question.seed);
                return search.best_action();
            },
            "position"_a, "seed"_a = 0,
            "The most visited slot. The tree of an opening's first step is searched on in its second.",
            nb::sig(kept(std::string("def choose(self, position: ") + kPosition + ", seed: int | None = 0) -> int")))
        .def(
            "search",
            [](Ismcts& search, nb::handle position, nb::handle seed) {
                const Question question(position, seed);
                std::vector<Candidate> found;
                {
                    nb::gil_scoped_release release;
                    search.search(question.known.now, question.belief(search), question.seed);
                    found = search.candidates();
                }
                return candidate_list(question.known.now, found);
            },
            "position"_a, "seed"_a = 0, "The placements that the tree has visited, most visits first.",
            nb::sig(kSearch))
        .def(
            "choose_open",
            [](Ismcts& search, const Hand& hand, nb::handle seed) {
                search_open(search, hand, seed);
                return search.best_action();
            },
            "hand"_a, "seed"_a = 0, "choose() on the true hand, hidden cards and all: for comparison only.",
            nb::sig("def choose_open(self, hand: Hand, seed: int | None = 0) -> int"))
        .def(
            "search_open",
            [](Ismcts& search, const Hand& hand, nb::handle seed) {
                return candidate_list(search_open(search, hand, seed), search.candidates());
            },
            "hand"_a, "seed"_a = 0, "search() on the true hand, hidden cards and all: for comparison only.",
            nb::sig("def search_open(self, hand: Hand, seed: int | None = 0) -> list[Candidate]"))
        .def(
            "visits",
            [](const Ismcts& search, nb::handle position) { return search.visits(to_decision(position).now); },
            "position"_a, "Visits of an information set in the tree.")
        .def("forget", &Ismcts::forget, "Drop the tree.")
        .def_prop_ro("nodes", &Ismcts::nodes, "Nodes of the tree.")
        .def_prop_ro("simulations", &Ismcts::simulations, "Simulations of the last search.");
    def_field_list<IsmctsSettings>(ismcts);
}

}  // namespace ofc::python
