#include "game/rules.hpp"

#include <charconv>
#include <deque>
#include <mutex>
#include <span>
#include <stdexcept>

namespace ofc {
namespace {

// Calls `visit(name, numbers)` for every field, in the order of the text form.
template <class RulesType, class Visit>
void for_each_field(RulesType& rules, Visit&& visit) {
    visit("top_pairs", std::span(rules.top_pairs));
    visit("top_trips", std::span(rules.top_trips));
    visit("middle", std::span(rules.middle));
    visit("bottom", std::span(rules.bottom));
    visit("scoop", std::span(&rules.scoop, 1));
    visit("fantasyland_pairs", std::span(rules.fantasyland_pairs));
    visit("fantasyland_trips", std::span(&rules.fantasyland_trips, 1));
    visit("stay_cards", std::span(&rules.stay_cards, 1));
    visit("chips", std::span(&rules.chips, 1));
    visit("stop_gap", std::span(&rules.stop_gap, 1));
    visit("turn_seconds", std::span(&rules.turn_seconds, 1));
    visit("fantasyland_seconds", std::span(&rules.fantasyland_seconds, 1));
}

void parse_numbers(std::string_view name, std::string_view text, std::span<int> out) {
    std::size_t filled = 0;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (true) {
        int number = 0;
        const auto [next, error] = std::from_chars(at, end, number);
        if (error != std::errc{} || filled == out.size()) break;
        out[filled++] = number;
        if (next == end) {
            if (filled == out.size()) return;
            break;
        }
        if (*next != ',') break;
        at = next + 1;
    }
    throw std::invalid_argument("rules: '" + std::string(name) + "=" + std::string(text) + "' should be " +
                                std::to_string(out.size()) + " whole number" +
                                (out.size() == 1 ? "" : "s, separated by commas"));
}

void verify_range(std::string_view name, int number, int low, int high) {
    if (number < low || number > high)
        throw std::invalid_argument("rules: " + std::string(name) + " is " + std::to_string(number) + ", outside " +
                                    std::to_string(low) + " to " + std::to_string(high));
}

}  // namespace

void Rules::verify() const {
    for_each_field(*this, [](std::string_view name, std::span<const int> numbers) {
        const bool width = name.starts_with("fantasyland_") && name != "fantasyland_seconds";
        for (int number : numbers) {
            if (width || name == "stay_cards") {
                if (number != 0) verify_range(name, number, kSmallestFantasyland, kLargestFantasyland);
            } else if (name == "chips" || name.ends_with("seconds")) {
                verify_range(name, number, 1, 30000);
            } else {
                verify_range(name, number, 0, 1000);
            }
        }
    });
}

std::string Rules::text() const {
    std::string text;
    for_each_field(*this, [&](std::string_view name, std::span<const int> numbers) {
        if (!text.empty()) text += ' ';
        text += std::string(name) + '=';
        for (std::size_t i = 0; i < numbers.size(); ++i) text += (i ? "," : "") + std::to_string(numbers[i]);
    });
    return text;
}

Rules Rules::parse(std::string_view text) {
    Rules rules;
    while (!text.empty()) {
        const auto space = text.find(' ');
        const std::string_view item = text.substr(0, space);
        text = space == std::string_view::npos ? std::string_view{} : text.substr(space + 1);
        if (item.empty()) continue;
        const auto equals = item.find('=');
        bool known = false;
        for_each_field(rules, [&](std::string_view name, std::span<int> numbers) {
            if (equals == std::string_view::npos || item.substr(0, equals) != name) return;
            known = true;
            parse_numbers(name, item.substr(equals + 1), numbers);
        });
        if (!known)
            throw std::invalid_argument("rules: cannot read '" + std::string(item) +
                                        "'; write fields as name=number, like chips=200");
    }
    rules.verify();
    return rules;
}

const Rules* intern(const Rules& rules) {
    static std::mutex mutex;
    static std::deque<Rules> known{Rules{}};
    const std::lock_guard lock(mutex);
    for (const Rules& rule : known)
        if (rule == rules) return &rule;
    return &known.emplace_back(rules);
}

const Rules* default_rules() {
    static const Rules* const rules = intern(Rules{});
    return rules;
}

}  // namespace ofc
