#include "game/rules.hpp"

#include <deque>
#include <mutex>

namespace ofc {

Rules Rules::parse(std::string_view text) {
    Rules rules;
    fields::read("rules", rules, text);
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
