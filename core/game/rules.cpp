#include "game/rules.hpp"

#include <algorithm>
#include <unordered_set>

#include "game/mutex.hpp"
#include "game/random.hpp"

namespace ofc {

Rules Rules::preset(std::string_view name) {
    Rules rules;
    if (name == "house") return rules;
    if (name == "standard") {
        rules.jokers = 0;
        rules.button_acts = ButtonActs::kLast;
    } else if (name == "fixed14") {
        for (int& width : rules.fantasyland_pairs) width = width ? kSmallestFantasyland : 0;
        rules.fantasyland_trips = kSmallestFantasyland;
    } else if (name == "no_fantasyland") {
        rules.fantasyland_pairs = {};
        rules.fantasyland_trips = 0;
    } else {
        std::string known;
        for (const char* each : kPresets) known += std::string(known.empty() ? "" : ", ") + each;
        throw std::invalid_argument("unknown rules '" + std::string(name) + "': choose one of " + known +
                                    ", or write fields as name=value");
    }
    return rules;
}

Rules Rules::parse(std::string_view text) { return fields::read_preset<Rules>("rules", text, &Rules::preset); }

std::string Rules::name() const {
    std::string shortest;
    for (const char* preset_name : kPresets) {
        std::string text = preset_name;
        const Rules near = preset(preset_name);
        if (const std::string rest = fields::difference(*this, near); !rest.empty()) text += " " + rest;
        if (shortest.empty() || text.size() < shortest.size()) shortest = text;
    }
    return shortest;
}

void Rules::verify_cards(CardSet cards, const char* words) const {
    if (const CardSet strange = cards & ~deck())
        throw std::invalid_argument(std::string(words) + "card " + card_name(lowest(strange)) +
                                    " is not in the deck of the rules '" + name() + "'");
}

Rules Rules::of_a_hand() const {
    const Rules house;
    Rules rules = *this;
    rules.chips = house.chips;
    rules.stop_gap = house.stop_gap;
    rules.turn_seconds = house.turn_seconds;
    rules.fantasyland_seconds = house.fantasyland_seconds;
    return rules;
}

std::vector<int> Rules::widths() const {
    std::vector<int> all(fantasyland_pairs.begin(), fantasyland_pairs.end());
    all.push_back(fantasyland_trips);
    std::sort(all.begin(), all.end());
    all.erase(all.begin(), std::upper_bound(all.begin(), all.end(), 0));
    const bool kept = std::min({stay_top, stay_middle, stay_bottom}) != Least::kNever;
    if (!all.empty() && kept && stay_cards)
        all.insert(std::lower_bound(all.begin(), all.end(), stay_cards), stay_cards);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

namespace {

struct Hash {
    std::size_t operator()(const Rules& rules) const {
        std::uint64_t key = 0;
        const auto add = [&](int number) { key = combine_seeds(key, static_cast<std::uint64_t>(number)); };
        Rules::for_each_field(rules, [&](const Field&, const auto& value) {
            if constexpr (fields::is_list<std::remove_cvref_t<decltype(value)>>)
                for (const int number : value) add(number);
            else
                add(static_cast<int>(value));
        });
        return key;
    }
};

}  // namespace

const Rules* intern(const Rules& rules) {
    static const Rules house;  // what nearly everybody asks for, without a lock
    if (rules == house) return &house;
    static Mutex mutex;
    static std::unordered_set<Rules, Hash> known;  // its values stay where they are
    const std::lock_guard lock(mutex);
    if (const auto found = known.find(rules); found != known.end()) return &*found;
    if (known.size() >= kMostRuleSets)
        throw std::length_error("more than " + std::to_string(kMostRuleSets) +
                                " different rules in one process: they are kept until it ends, so start another one");
    return &*known.insert(rules).first;
}

const Rules* default_rules() {
    static const Rules* const rules = intern(Rules{});
    return rules;
}

}  // namespace ofc
