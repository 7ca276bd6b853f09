// Positions as people write them.
#include "positions/text.hpp"

#include "bindings/training.hpp"
#include "game/words.hpp"

namespace ofc::python {

using namespace nb::literals;

namespace {

// Cards of a place: a text in any spelling, or names and numbers.
std::string place_text(nb::handle cards) {
    if (nb::isinstance<nb::str>(cards)) return utf8_of(cards, "cards (give \"Ah Kd X1\", or names or numbers)");
    if (!PyObject_HasAttrString(cards.ptr(), "__iter__"))
        throw nb::type_error(("not cards (give \"Ah Kd X1\", or names or numbers): " + shown(cards)).c_str());
    std::string all;
    for (const nb::handle item : nb::iter(cards)) {
        if (!all.empty()) all += ' ';
        all += nb::isinstance<nb::str>(item) ? place_text(item)
                                             : card_name(to_integer(item, "a card (give a name or a number)"));
    }
    return all;
}

GivenPosition position_of(const nb::kwargs& values) {
    GivenPosition position;
    for (const auto& [key, value] : values) {
        const std::string name = nb::cast<std::string>(key);
        std::size_t place = 0;
        while (place < kPositionPlaces.size() && name != kPositionPlaces[place].name) ++place;
        const auto number = [&] { return to_integer(value, name.c_str()); };
        if (place < kPositionPlaces.size())
            position.places[place] = place_text(value);
        else if (name == "button")
            position.button = value.is_none() ? std::nullopt : std::optional(cast_or_refuse<bool>(value, "a bool"));
        else if (name == "chips")
            position.chips = value.is_none() ? std::nullopt : std::optional(number());
        else if (name == "opponent_chips")
            position.opponent_chips = value.is_none() ? std::nullopt : std::optional(number());
        else if (name == "opponent_fantasyland")
            position.opponent_fantasyland = number();
        else if (name == "opening_step")
            position.opening_step = number();
        else if (name == "rules")
            position.rules = to_rules(value);
        else
            throw nb::type_error(("a position has no " + quoted(name)).c_str());
    }
    return position;
}

// What somebody wrote as the arguments of agents.positions.Position, and what was played.
nb::tuple written(const WrittenPosition& found) {
    const GivenPosition& position = found.position;
    nb::dict values;
    for (std::size_t i = 0; i < kPositionPlaces.size(); ++i) values[kPositionPlaces[i].name] = position.places[i];
    values["button"] = position.button;
    values["chips"] = position.chips;
    values["opponent_chips"] = position.opponent_chips;
    values["opponent_fantasyland"] = position.opponent_fantasyland;
    values["rules"] = *position.rules;
    return nb::make_tuple(values, found.played);
}

}  // namespace

void bind_positions(nb::module_& m) {
    m.attr("LONGEST_POSITION_TEXT") = kLongestPositionText;
    m.def(
        "spelled_cards", [](nb::handle cards) { return spelled(place_text(cards)); }, "cards"_a,
        "Cards as the core names them, however a person spelled them: `10c ahKD` is `Tc Ah Kd`.",
        nb::sig("def spelled_cards(cards: str | typing.Iterable[str | int]) -> str"));
    m.def(
        "position_cards",
        [](const nb::kwargs& position) {
            nb::dict cards;
            const PlacedCards read = read_cards(position_of(position));
            for (std::size_t i = 0; i < kPositionPlaces.size(); ++i) cards[kPositionPlaces[i].name] = read[i];
            return cards;
        },
        "position"_a, "The cards of each place of a position, given by its fields, each card once.",
        nb::sig("def position_cards(**position: typing.Any) -> dict[str, list[int]]"));
    m.def(
        "position_information",
        [](const nb::kwargs& position) { return Knowledge{information_of(position_of(position)), {}}; }, "position"_a,
        "What the seat of a position knows, given by its fields; ValueError for one that play cannot reach.",
        nb::sig("def position_information(**position: typing.Any) -> InformationSet"));
    m.def(
        "read_position",
        [](nb::handle text, nb::handle rules) {
            return written(read_position(utf8_of(text, "a position (give text)"), to_rules(rules)));
        },
        "text"_a, "rules"_a = nb::none(), "The fields of a position that somebody wrote, and what was played or None.",
        nb::sig("def read_position(text: str, rules: Rules | str | None = None) -> tuple[dict[str, typing.Any], "
                "Placement | None]"));
    m.def(
        "read_position_line",
        [](nb::handle line) { return written(read_position_line(utf8_of(line, "a line of a log (give text)"))); },
        "line"_a, "The same from a turn of a game log, one object of its JSONL form.",
        nb::sig("def read_position_line(line: str) -> tuple[dict[str, typing.Any], Placement | None]"));
}

}  // namespace ofc::python
