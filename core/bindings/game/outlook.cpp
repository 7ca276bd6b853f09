// How a board stands while it fills.
#include "game/outlook.hpp"
#include "bindings/bindings.hpp"

namespace ofc::python {

using namespace nb::literals;

void bind_outlook(nb::module_& m) {
    nb::class_<Outlook>(m, "Outlook", "How a board stands, full or not.")
        .def_prop_ro(
            "row_values",
            [](const Outlook& outlook) {
                std::vector<std::optional<RowValue>> values;
                for (const RowValue value : outlook.values)
                    values.push_back(value == kNoReading ? std::nullopt : std::optional(value));
                return values;
            },
            "Top, middle, bottom as numbers: the best reading so far, the least for a row that fouls, None if empty.")
        .def_prop_ro(
            "royalties",
            [](const Outlook& outlook) {
                const auto& [top, middle, bottom] = outlook.royalties;
                const nb::object type = nb::module_::import_("ofc_env.results").attr("Royalties");
                return type(top, middle, bottom, top + middle + bottom);
            },
            "What the rows as they stand would earn; nothing on a foul.",
            nb::sig("def royalties(self) -> ofc_env.results.Royalties"))
        .def_prop_ro(
            "fouled", [](const Outlook& outlook) { return outlook.danger == Danger::kFoul; },
            "Whether no cards to come can save the board.")
        .def_prop_ro(
            "at_risk", [](const Outlook& outlook) { return outlook.danger == Danger::kRisk; },
            "Whether a row stands above the one below it, on a board that can still be saved.")
        .def_ro("stands_above", &Outlook::stands_above,
                "Top over middle, middle over bottom: a pair or more that beats the lower row so far.")
        .def_ro("fantasyland_cards", &Outlook::entry_width,
                "Cards of the fantasyland that these rows would win when played normally, 0 if none.")
        .def_ro("stays", &Outlook::stays, "Whether these rows, set in fantasyland, would keep their player there.");
    m.def(
        "board_outlook",
        [](nb::handle object) {
            const Board board = board_of(object);  // first, because it refuses what is no board
            return look_at(board, *to_rules(object.attr("rules")));
        },
        "board"_a, "How a board of 0 to 13 cards stands, by its own rules.",
        nb::sig("def board_outlook(board: Board) -> Outlook"));
}

}  // namespace ofc::python
