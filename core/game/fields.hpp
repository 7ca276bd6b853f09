// The fields of a settings struct, listed once: text form, checks, keyword arguments, help and pages follow from the
// list.
//
// A struct S lists its fields, in the order of its text form, in
//
//     template <class Self, class Visit>
//     static void for_each_field(Self& self, Visit&& visit) {
//         visit(Field{.name = "chips", .help = "of each player at the start", .low = 1, .high = 30000}, self.chips);
//     }
//
// A field is a whole number, a number, a switch, a fixed list of numbers, or an enum whose choices have names.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace ofc {

struct Field {
    const char* name;
    const char* help;
    // Every number of the field lies within these bounds, or is `also`.
    double low = -1e9, high = 1e9;
    double also = std::numeric_limits<double>::quiet_NaN();
    std::span<const char* const> choices{};  // names of an enum's values, from 0 on
};

namespace fields {

template <class T>
struct IsList : std::false_type {};
template <class T, std::size_t n>
struct IsList<std::array<T, n>> : std::true_type {};
template <class T>
inline constexpr bool is_list = IsList<T>::value;

inline std::string to_text(double number) {
    if (number != number) return "nan";  // there are signed ones
    if (number >= -1e15 && number <= 1e15 && number == static_cast<double>(static_cast<std::int64_t>(number)))
        return std::to_string(static_cast<std::int64_t>(number));  // no exponents where people write none
    char buffer[32];
    const auto end = std::to_chars(buffer, buffer + sizeof(buffer), number).ptr;
    return {buffer, end};
}

template <class T>
std::string value_text(const Field& field, const T& value) {
    if constexpr (is_list<T>) {
        std::string text;
        for (const auto& item : value) text += (text.empty() ? "" : ",") + value_text(field, item);
        return text;
    } else if constexpr (std::is_enum_v<T>) {
        return field.choices[static_cast<std::size_t>(value)];
    } else if constexpr (std::is_same_v<T, bool>) {
        return value ? "on" : "off";
    } else if constexpr (std::is_integral_v<T>) {
        return std::to_string(value);
    } else if constexpr (std::is_same_v<T, float>) {
        char buffer[32];
        return {buffer, std::to_chars(buffer, buffer + sizeof(buffer), value).ptr};
    } else {
        return to_text(value);
    }
}

// "a whole number", "13 whole numbers, separated by commas", "halving or puct".
template <class T>
std::string wanted(const Field& field) {
    if constexpr (is_list<T>) {
        return std::to_string(std::tuple_size_v<T>) +
               (std::is_integral_v<typename T::value_type> ? " whole numbers" : " numbers") + ", separated by commas";
    } else if constexpr (std::is_enum_v<T>) {
        std::string text;
        for (std::size_t i = 0; i < field.choices.size(); ++i)
            text += (i == 0 ? "" : i + 1 == field.choices.size() ? " or " : ", ") + std::string(field.choices[i]);
        return text;
    } else if constexpr (std::is_same_v<T, bool>) {
        return "on or off";
    } else {
        return std::is_integral_v<T> ? "a whole number" : "a number";
    }
}

// Reads `text` as one value; false if it is none.
template <class T>
bool read_value(const Field& field, std::string_view text, T& out) {
    if constexpr (is_list<T>) {
        for (std::size_t i = 0; i < out.size(); ++i) {
            const auto comma = text.find(',');
            if ((comma == std::string_view::npos) != (i + 1 == out.size())) return false;
            if (!read_value(field, text.substr(0, comma), out[i])) return false;
            text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
        }
        return true;
    } else if constexpr (std::is_enum_v<T>) {
        for (std::size_t i = 0; i < field.choices.size(); ++i)
            if (text == field.choices[i]) {
                out = static_cast<T>(i);
                return true;
            }
        return false;
    } else if constexpr (std::is_same_v<T, bool>) {
        out = text == "on" || text == "true";
        return out || text == "off" || text == "false";
    } else {
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
        return error == std::errc{} && end == text.data() + text.size();
    }
}

// Throws a sentence when a number lies outside its bounds; `owner` begins it.
template <class T>
void verify_value(std::string_view owner, const Field& field, const T& value) {
    if constexpr (is_list<T>) {
        for (const auto& item : value) verify_value(owner, field, item);
    } else if constexpr (!std::is_enum_v<T> && !std::is_same_v<T, bool>) {
        const auto number = static_cast<double>(value);
        if ((number >= field.low && number <= field.high) || number == field.also) return;
        std::string range = to_text(field.low) + " to " + to_text(field.high);
        if (field.also == field.also) range = to_text(field.also) + " and " + range;
        throw std::invalid_argument(std::string(owner) + ": " + field.name + " is " + value_text(field, value) +
                                    ", outside " + range);
    }
}

template <class S>
void verify(std::string_view owner, const S& settings) {
    S::for_each_field(settings, [&](const Field& field, const auto& value) { verify_value(owner, field, value); });
}

// "top_pairs=0,0,... chips=200 ...": every field.
template <class S>
std::string text(const S& settings) {
    std::string text;
    S::for_each_field(settings, [&](const Field& field, const auto& value) {
        text += (text.empty() ? "" : " ") + std::string(field.name) + "=" + value_text(field, value);
    });
    return text;
}

// Calls `visit(field, value)` with the default of every field.
template <class S, class Visit>
void for_each_default(Visit&& visit) {
    const S defaults{};
    S::for_each_field(defaults, visit);
}

// The names of all fields, for a refusal.
template <class S>
std::string names() {
    std::string text;
    for_each_default<S>(
        [&](const Field& field, const auto&) { text += (text.empty() ? "" : ", ") + std::string(field.name); });
    return text;
}

// The next word of a text, which becomes what follows it.
inline std::string_view next_word(std::string_view& text) {
    const auto begin = text.find_first_not_of(' ');
    if (begin == std::string_view::npos) return text = {};
    const auto end = text.find(' ', begin);
    const std::string_view word = text.substr(begin, end == std::string_view::npos ? end : end - begin);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end);
    return word;
}

// Reads "name=value name=value" into the settings; fields left out keep what they have. Throws a sentence over words
// that cannot be read; bounds are not looked at.
template <class S>
void read_words(std::string_view owner, S& settings, std::string_view text) {
    while (true) {
        const std::string_view word = next_word(text);
        if (word.empty()) break;
        const auto equals = word.find('=');
        bool known = false;
        S::for_each_field(settings, [&](const Field& field, auto& value) {
            if (equals == std::string_view::npos || word.substr(0, equals) != field.name) return;
            known = true;
            if (!read_value(field, word.substr(equals + 1), value))
                throw std::invalid_argument(std::string(owner) + ": '" + std::string(word) + "' should be " +
                                            wanted<std::remove_cvref_t<decltype(value)>>(field));
        });
        if (!known)
            throw std::invalid_argument(std::string(owner) + ": cannot read '" + std::string(word) +
                                        "'; write fields as name=value, of " + names<S>());
    }
}

// The same, within bounds.
template <class S>
void read(std::string_view owner, S& settings, std::string_view text) {
    read_words(owner, settings, text);
    verify(owner, settings);
}

// Reads a preset's name, fields as name=value, or the name and then the fields that differ; without a name the
// fields left out keep their default.
template <class S, class Preset>
S read_preset(std::string_view owner, std::string_view text, Preset&& preset) {
    std::string_view rest = text;
    const std::string_view first = next_word(rest);
    const bool named = !first.empty() && first.find('=') == std::string_view::npos;
    S settings = named ? preset(first) : S{};
    read(owner, settings, named ? rest : text);
    return settings;
}

// "scoop=6 chips=100": the fields in which `settings` differ from others.
template <class S>
std::string difference(const S& settings, const S& others) {
    std::string text;
    const std::string mine = fields::text(settings), theirs = fields::text(others);
    std::string_view my_words = mine, their_words = theirs;
    for (auto word = next_word(my_words); !word.empty(); word = next_word(my_words))
        if (word != next_word(their_words)) text += (text.empty() ? "" : " ") + std::string(word);
    return text;
}

}  // namespace fields
}  // namespace ofc
