#include "game/fantasyland_values.hpp"

#include <stdexcept>
#include <vector>

namespace ofc {
namespace {

struct Entry {
    const char* rules;
    FantasylandValues values;
};
constexpr Entry kMeasured[] = {
#include "game/fantasyland_values.inc"
};

}  // namespace

const FantasylandValues* measured_fantasyland_values(const Rules& rules) {
    static const std::vector<Rules> known = [] {
        std::vector<Rules> all;
        for (const Entry& entry : kMeasured) all.push_back(Rules::parse(entry.rules).of_a_hand());
        return all;
    }();
    const Rules wanted = rules.of_a_hand();
    for (std::size_t i = 0; i < known.size(); ++i)
        if (known[i] == wanted) return &kMeasured[i].values;
    return nullptr;
}

FantasylandValues fantasyland_values(const Rules& rules) {
    if (const FantasylandValues* values = measured_fantasyland_values(rules)) return *values;
    if (rules.widths().empty()) return {};
    const std::string name = rules.of_a_hand().name();
    throw std::invalid_argument("nobody has measured what fantasyland is worth under the rules '" + name +
                                "': run python experiments/fantasyland_value.py --rules \"" + name +
                                "\" --write, or give fantasyland_values=a,b,c,d for 14 to 17 cards");
}

FantasylandValues usual_fantasyland_values(const Rules& rules) {
    const FantasylandValues* values = measured_fantasyland_values(rules);
    return values ? *values : *measured_fantasyland_values(Rules{});
}

double default_stay_value(int width, const Rules& rules) {
    return width_value(usual_fantasyland_values(rules), rules.stay_width(width));
}

}  // namespace ofc
