#include "positions/text.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "game/words.hpp"

namespace ofc {

namespace {

std::invalid_argument refusal(const std::string& sentence) { return std::invalid_argument(sentence); }

constexpr std::size_t kMostDigits = 6;

// What a text can name, longer names first, for "top" ends the name of another place.
constexpr std::array<std::string_view, 16> kNames{"opponent_fantasyland",
                                                  "opponent_middle",
                                                  "opponent_bottom",
                                                  "opponent_chips",
                                                  "opponent_top",
                                                  "opening_step",
                                                  "discards",
                                                  "middle",
                                                  "bottom",
                                                  "button",
                                                  "played",
                                                  "chips",
                                                  "rules",
                                                  "hand",
                                                  "turn",
                                                  "top"};

struct Value {
    std::string_view name, text;
    std::size_t begin = 0, end = 0;  // of the name in the text, up to behind the colon
};

// The end of the name, with its colon, if "opponent top:" or "opponent_top =" begins here; 0 otherwise.
std::size_t end_of_name(std::string_view text, std::size_t at, std::string_view name) {
    if (text.size() - at < name.size()) return 0;
    for (const char letter : name) {
        const char written = lowered(text[at++]);
        if (letter == '_' ? written != '_' && written != ' ' && written != '-' : written != letter) return 0;
    }
    while (at < text.size() && is_blank(character_at(text, at).code)) at += character_at(text, at).size;
    return at < text.size() && (text[at] == ':' || text[at] == '=') ? at + 1 : 0;
}

std::string_view stripped(std::string_view text) {
    constexpr std::string_view kAround = " \t\r\n,;";
    const auto begin = text.find_first_not_of(kAround);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(kAround) + 1 - begin);
}

// Every name with what follows it; what stands before the first one is the hand.
std::vector<Value> named_values(std::string_view text) {
    std::vector<Value> found;
    for (std::size_t at = 0; at < text.size();) {
        const char32_t before = character_before(text, at).code;
        std::size_t end = 0;
        if (before != '-' && !is_word_part(before))
            for (const std::string_view name : kNames)
                if ((end = end_of_name(text, at, name))) {
                    found.push_back({name, {}, at, end});
                    break;
                }
        at = end ? end : at + character_at(text, at).size;
    }
    for (std::size_t i = 0; i < found.size(); ++i) {
        const std::size_t next = i + 1 < found.size() ? found[i + 1].begin : text.size();
        found[i].text = stripped(text.substr(found[i].end, next - found[i].end));
    }
    const std::string_view before = stripped(text.substr(0, found.empty() ? text.size() : found[0].begin));
    if (!before.empty()) found.insert(found.begin(), Value{"hand", before});
    for (std::size_t i = 0; i < found.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (found[i].name == found[j].name)
                throw refusal(std::string(found[i].name) + " is written twice: give each place once");
    return found;
}

int to_number(const Value& value) {
    const std::string_view digits = value.text;
    if (digits.empty() || digits.size() > kMostDigits ||
        digits.find_first_not_of("0123456789") != std::string_view::npos)
        throw refusal(std::string(value.name) + " " + quoted(digits) + " is not a number: write it in digits");
    int number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
}

bool to_bool(const Value& value) {
    const std::string word = lowered(value.text);
    for (const char* yes : {"yes", "true", "on", "1"})
        if (word == yes) return true;
    for (const char* no : {"no", "false", "off", "0"})
        if (word == no) return false;
    throw refusal("button " + quoted(value.text) + " is neither yes nor no");
}

// The rules of a text, in which an information set writes a plus for a blank.
const Rules* to_rules(std::string_view text) {
    std::string words(text);
    std::replace(words.begin(), words.end(), '+', ' ');
    return intern(Rules::parse(words));
}

WrittenPosition of_values(const std::vector<Value>& values, const Rules* rules) {
    WrittenPosition written;
    GivenPosition& position = written.position;
    position.rules = rules;
    std::optional<int> turn, opening_step;
    std::optional<std::string_view> played;
    for (const Value& value : values) {
        const auto place = std::find_if(kPositionPlaces.begin(), kPositionPlaces.end(),
                                        [&](const Place& each) { return value.name == each.name; });
        if (place != kPositionPlaces.end())
            position.places[static_cast<std::size_t>(place - kPositionPlaces.begin())] = value.text;
        else if (value.name == "button")
            position.button = to_bool(value);
        else if (value.name == "rules")
            position.rules = to_rules(value.text);
        else if (value.name == "played")
            played = value.text;
        else if (value.name == "chips")
            position.chips = to_number(value);
        else if (value.name == "opponent_chips")
            position.opponent_chips = to_number(value);
        else if (value.name == "opponent_fantasyland")
            position.opponent_fantasyland = to_number(value);
        else
            (value.name == "turn" ? turn : opening_step) = to_number(value);
    }
    if (opening_step.value_or(0)) throw refusal("half an opening is placed: give all five cards as the hand");
    if (played) written.played = Placement::parse(*played);
    if (turn)
        if (const int found = information_of(position).turn; found != *turn)
            throw refusal("the cards are those of turn " + std::to_string(found) + ", not of turn " +
                          std::to_string(*turn) + ": leave turn out");
    return written;
}

}  // namespace

WrittenPosition read_position(std::string_view text, const Rules* rules) {
    text = trimmed(text);
    if (const std::size_t length = character_count(text); length > kLongestPositionText)
        throw refusal("the text has " + std::to_string(length) + " characters: a position needs fewer than " +
                      std::to_string(kLongestPositionText));
    return text.starts_with('{') ? read_position_line(text) : of_values(named_values(text), rules);
}

}  // namespace ofc
