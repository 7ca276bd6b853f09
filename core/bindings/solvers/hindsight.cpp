// Boards completed with hindsight.
#include "solvers/hindsight.hpp"

#include "bindings/bindings.hpp"
#include "bindings/unlocked.hpp"

namespace ofc::python {

using namespace nb::literals;

namespace {

using Values = std::optional<FantasylandValues>;

nb::tuple complete(nb::handle board, const std::vector<nb::object>& deals, const Values& values,
                   std::optional<double> foul) {
    const Board placed = board_of(board);
    const Rules* rules = to_rules(board.attr("rules"));
    std::vector<CardSet> to_come;
    for (const nb::object& deal : deals) to_come.push_back(to_card_set(deal, "deal"));
    const Future future(to_come);
    future.verify(placed, *rules);
    const Completion found = future.complete(placed, OwnEquity(*rules, values, foul));
    return nb::make_tuple(board_object(found.board, rules), found.value);
}

nb::ndarray<nb::numpy, float> complete_placements(nb::handle position, const std::vector<Placement>& placements,
                                                  int worlds, nb::handle seed, const Values& values,
                                                  std::optional<double> foul) {
    const InformationSet info = to_decision(position, nullptr).now;
    verify_worlds(worlds, placements.size());
    const OwnEquity equity(*info.rules, values, foul);
    const std::uint64_t number = to_seed(seed);
    auto out = new_array<float>({placements.size(), static_cast<std::size_t>(worlds)});
    const Unlocked unlocked;
    const auto found = completions(info, placements, worlds, equity, number);
    for (std::size_t i = 0; i < found.size(); ++i)
        std::copy(found[i].begin(), found[i].end(), out.data() + i * static_cast<std::size_t>(worlds));
    return out;
}

}  // namespace

void bind_hindsight(nb::module_& m) {
    m.def("complete_with_hindsight", &complete, "board"_a, "deals"_a, nb::kw_only(),
          "fantasyland_values"_a = nb::none(), "foul"_a = nb::none(),
          "The best finished board that two cards of each deal to come make of a board, and what it is worth.\n\n"
          "Worth are its royalties and the fantasyland that it wins, by `fantasyland_values` of 14 to 17 cards (those "
          "of the board's rules by default), or minus `foul` (what the rules take): a board fouls only where every "
          "other does. The deals are of three cards each, as many as the board has pairs of free places.",
          nb::sig("def complete_with_hindsight(board: Board, deals: typing.Sequence[str | typing.Iterable[str | int]], "
                  "*, fantasyland_values: typing.Sequence[float] | None = None, foul: float | None = None) -> "
                  "tuple[Board, float]"));
    m.def("completions", &complete_placements, "position"_a, "placements"_a, "worlds"_a = 400, "seed"_a = 0,
          nb::kw_only(), "fantasyland_values"_a = nb::none(), "foul"_a = nb::none(), nb::rv_policy::move,
          "What placements are worth to a seat that plays by itself and will see its draws: float32 (placements, "
          "worlds), points.\n\n"
          "In each world the deals to come are drawn from the unseen cards, the same for all placements, and the "
          "board is completed with hindsight.",
          nb::sig("def completions(position: InformationSet | numpy.typing.NDArray[numpy.float32], placements: "
                  "typing.Sequence[Placement], worlds: int = 400, seed: int | None = 0, *, fantasyland_values: "
                  "typing.Sequence[float] | None = None, foul: float | None = None) -> "
                  "numpy.typing.NDArray[numpy.float32]"));
}

}  // namespace ofc::python
