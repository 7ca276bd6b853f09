#include "game/rules.hpp"

#include <mutex>
#include <unordered_set>

#include "game/random.hpp"

namespace ofc {

Rules Rules::parse(std::string_view text) {
    Rules rules;
    fields::read("rules", rules, text);
    return rules;
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
    static const Rules standard;  // what nearly everybody asks for, without a lock
    if (rules == standard) return &standard;
    static std::mutex mutex;
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
