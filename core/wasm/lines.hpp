// A question's arguments, one a line.
#pragma once

#include <charconv>
#include <stdexcept>

#include "game/information.hpp"

namespace ofc::wasm {

struct Lines {
    std::string_view left;

    std::string_view text() {
        const auto end = left.find('\n');
        const std::string_view line = left.substr(0, end);
        left = end == std::string_view::npos ? std::string_view{} : left.substr(end + 1);
        return line;
    }
    template <class Number = int>
    Number number() {
        const std::string_view line = text();
        Number value{};
        if (std::from_chars(line.data(), line.data() + line.size(), value).ec != std::errc{} || line.empty())
            throw std::invalid_argument("'" + std::string(line) + "' is not a number");
        return value;
    }
    // None where the line is empty.
    std::optional<int> optional_number() {
        if (left.empty() || left[0] != '\n') return left.empty() ? std::nullopt : std::optional(number());
        text();
        return std::nullopt;
    }
    std::uint64_t seed() { return number<std::uint64_t>(); }
    const Rules* rules() { return intern(Rules::parse(text())); }
    CardSet cards(const char* what) { return to_set(parse_cards(text()), what); }
    std::array<int, 2> pair() {
        const int first = number();
        return {first, number()};
    }
};

}  // namespace ofc::wasm
