// Lines of a game log (docs/data.md), as far as they are positions.
#include <stdexcept>

#include "game/words.hpp"
#include "json/value.hpp"
#include "positions/text.hpp"

namespace ofc {

namespace {

using Kind = JsonValue::Kind;

[[noreturn]] void refuse_shape() {
    throw std::invalid_argument("not a turn of a game log: boards, chips or seats have the wrong shape");
}

const JsonValue& member(const JsonValue& object, const char* name) {
    if (object.kind != Kind::kObject) refuse_shape();
    const JsonValue* found = object.find(name);
    if (!found) throw std::invalid_argument("not a turn of a game log: it has no '" + std::string(name) + "'");
    return *found;
}

// A list of names, or a text of them.
std::string cards_of(const JsonValue& value) {
    if (value.kind == Kind::kText) return value.text;
    if (value.kind != Kind::kList) refuse_shape();
    std::string names;
    for (const JsonValue& item : value.items) {
        if (item.kind != Kind::kText) refuse_shape();
        names += (names.empty() ? "" : " ") + item.text;
    }
    return names;
}

std::optional<int> chips_of(const JsonValue& chips, int seat) {
    if (chips.kind != Kind::kList || chips.items.size() <= static_cast<std::size_t>(seat)) refuse_shape();
    const JsonValue& own = chips.items[static_cast<std::size_t>(seat)];
    if (own.kind == Kind::kNull) return std::nullopt;
    const auto number = own.integer();
    if (!number) refuse_shape();
    return number;
}

Placement placement_of(const JsonValue& action) {
    const auto refuse = [&] {
        throw std::invalid_argument(quoted(action.source) +
                                    " is not an action: write placements as [card, row] pairs, and the discard");
    };
    const auto name_of = [&](const JsonValue& value) -> const std::string& {
        if (value.kind != Kind::kText) refuse();
        return value.text;
    };
    std::string words;
    const auto place = [&](const std::string& name, char where) {
        words += (words.empty() ? "" : " ") + card_name(parse_card(name)) + '>' + where;
    };
    const JsonValue* placements = action.find("placements");
    if (!placements || placements->kind != Kind::kList) refuse();
    for (const JsonValue& pair : placements->items) {
        if (pair.kind != Kind::kList || pair.items.size() != 2) refuse();
        const std::string& row = name_of(pair.items[1]);
        std::size_t at = 0;
        while (at < kRows && row != kRowNames[at]) ++at;
        if (at == kRows) refuse();
        place(name_of(pair.items[0]), row[0]);
    }
    const JsonValue* several = action.find("discards");
    const JsonValue* single = action.find("discard");
    if (several && several->kind != Kind::kList) refuse();
    if (several)
        for (const JsonValue& card : several->items) place(name_of(card), 'x');
    else if (single && single->kind != Kind::kNull)
        place(name_of(*single), 'x');
    return Placement::parse(words);
}

}  // namespace

WrittenPosition read_position_line(std::string_view json) {
    const auto line = read_json(json);
    if (!line) throw std::invalid_argument("this begins like a line of a log and is not JSON: paste one whole line");
    WrittenPosition written;
    GivenPosition& position = written.position;
    const JsonValue &own = member(*line, "board_self"), &other = member(*line, "board_opponent");
    position.button = member(*line, "is_btn").is_set();
    const auto button = member(*line, "btn").integer();
    if (!button || (*button != 0 && *button != 1)) refuse_shape();
    const int seat = *position.button ? *button : 1 - *button;
    for (std::size_t row = 0; row < kRows; ++row) position.places[row] = cards_of(member(own, kRowNames[row]));
    for (std::size_t row = 0; row < kRows; ++row)
        position.places[kRows + row] = cards_of(member(other, kRowNames[row]));
    position.places[kHandPlace] = cards_of(member(*line, "dealt_cards"));
    position.places[kDiscardsPlace] = cards_of(member(*line, "known_discards_self"));
    const JsonValue& chips = member(*line, "chips");
    position.chips = chips_of(chips, seat);
    position.opponent_chips = chips_of(chips, 1 - seat);
    if (const JsonValue* width = other.find("fantasyland"); width && width->is_set()) {
        if (!width->integer()) refuse_shape();
        position.opponent_fantasyland = *width->integer();
    }
    const JsonValue* rules = line->find("rules");
    if (rules && rules->kind != Kind::kText) refuse_shape();
    position.rules = intern(Rules::parse(rules ? rules->text : ""));
    if (const JsonValue* action = line->find("action"); action && action->kind == Kind::kObject)
        written.played = placement_of(*action);
    return written;
}

}  // namespace ofc
