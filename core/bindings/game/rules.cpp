// Rules.
#include <algorithm>

#include "bindings/fields.hpp"
#include "game/rules.hpp"
#include "game/turn_order.hpp"
#include "game/win_chances.hpp"

namespace ofc::python {

using namespace nb::literals;

const Rules* to_rules(nb::handle rules) {
    if (rules.is_none()) return default_rules();
    if (nb::isinstance<nb::str>(rules)) return intern(Rules::parse(nb::cast<std::string>(rules)));
    return intern(cast_or_refuse<Rules>(rules, "rules (give Rules, their text form, or None)"));
}

void bind_rules(nb::module_& m) {
    auto rules = nb::class_<Rules>(m, "Rules",
                                   "What tables differ in. Frozen; the default is the house game, preset(\"house\").");
    rules
        .def(
            "__init__",
            [](Rules* self, const nb::kwargs& given) { new (self) Rules(with_fields("rules", Rules{}, given)); },
            "fields"_a, nb::sig(kept("def __init__(self, *, " + field_arguments<Rules>() + ") -> None")))
        .def_static("parse", &Rules::parse, "text"_a,
                    "Rules from a preset's name, from fields as name=value, or from both: \"standard scoop=6\".")
        .def_static(
            "of", [](nb::handle given) { return *to_rules(given); }, "rules"_a.none(),
            "Rules that are given as a value, as text, or not at all: those of the house.",
            nb::sig("def of(rules: Rules | str | None) -> Rules"))
        .def_static(
            "presets", [] { return std::vector<std::string>(Rules::kPresets.begin(), Rules::kPresets.end()); },
            "The names that preset() knows.")
        .def_static("preset", &Rules::preset, "name"_a, "The rules of a name in presets().")
        .def_prop_ro("name", &Rules::name, "The shortest text that parse() reads as these rules.")
        .def_prop_ro("num_cards", &Rules::cards, "Cards in the deck, jokers and all.")
        .def_prop_ro(
            "deck", [](const Rules& ruled) { return to_list(ruled.deck()); }, "Those cards, sorted.")
        .def(
            "first_to_act", [](const Rules& ruled, nb::handle button) { return first_to_act(to_seat(button), ruled); },
            "button"_a, "The seat that is dealt to and acts first on every turn, given the one with the button.",
            nb::sig("def first_to_act(self, button: int) -> int"))
        .def_prop_ro("widths", &Rules::widths, "Cards of every fantasyland that can be won or kept, ascending.")
        .def_prop_ro(
            "fantasyland_values",
            [](const Rules& ruled) -> std::optional<std::vector<double>> {
                if (!measured_fantasyland_values(ruled) && !ruled.widths().empty()) return std::nullopt;
                const FantasylandValues values = fantasyland_values(ruled);
                return std::vector<double>(values.begin(), values.end());
            },
            "What winning 14, 15, 16, 17 cards is worth under them, in points; None where nobody has measured it.")
        .def(
            "win_chance",
            [](const Rules& ruled, std::array<int, 2> stacks, std::array<int, 2> fantasyland) {
                const WinChances& chances = win_chances(ruled);
                for (int seat = 0; seat < 2; ++seat) {
                    if (stacks[seat] < 0 || stacks[seat] > kMostChips)
                        throw std::invalid_argument(std::to_string(stacks[seat]) +
                                                    " cannot be a seat's chips: use 0 to " +
                                                    std::to_string(kMostChips));
                    const auto widths = ruled.widths();
                    if (fantasyland[seat] && std::find(widths.begin(), widths.end(), fantasyland[seat]) == widths.end())
                        throw std::invalid_argument("no fantasyland of these rules has " +
                                                    std::to_string(fantasyland[seat]) + " cards: use 0 for none");
                }
                if (!stacks[0] && !stacks[1]) throw std::invalid_argument("somebody has chips: both seats are given 0");
                return chances.chance(stacks, fantasyland);
            },
            "stacks"_a, "fantasyland"_a = std::array<int, 2>{},
            "The chance of seat 0 to win the session with these chips and, in the next hand, these fantasylands, by "
            "the "
            "measured table; 0 or 1 where it is over.",
            nb::sig("def win_chance(self, stacks: typing.Sequence[int], fantasyland: typing.Sequence[int] = (0, 0)) -> "
                    "float"))
        .def("of_a_hand", &Rules::of_a_hand,
             "The same without what makes no difference to a hand: stacks, the stopping rule and clocks.")
        .def(
            "same_hand", [](const Rules& ruled, const Rules& other) { return ruled.of_a_hand() == other.of_a_hand(); },
            "other"_a,
            "Whether a hand is the same game under both: all but stacks, the stopping rule and clocks is equal.")
        .def(
            "royalty",
            [](const Rules& ruled, const std::string& row, RowValue value) {
                value_name(value);  // throws on a number that is no value of a row
                for (int i = 0; i < kRows; ++i)
                    if (row == kRowNames[i]) return ruled.royalty(static_cast<Row>(i), value);
                throw std::invalid_argument("there is no row '" + row + "': choose top, middle or bottom");
            },
            "row"_a, "value"_a, "Royalties of a row (\"top\", \"middle\" or \"bottom\") of this value.");
    def_fields<Rules>(rules, "Rules", "rules");
}

}  // namespace ofc::python
