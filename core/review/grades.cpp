#include "review/grades.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace ofc::review {

std::string_view grade_of(double cost, double low, bool is_best) {
    if (is_best) return "best";
    if (low <= 0.0) return "close";
    return cost >= kBlunder ? "blunder" : cost >= kMistake ? "mistake" : cost >= kInaccuracy ? "inaccuracy" : "fine";
}

std::size_t grade_number(std::string_view grade) {
    const auto found = std::find(kGrades.begin(), kGrades.end(), grade);
    if (found == kGrades.end()) throw std::invalid_argument("there is no grade '" + std::string(grade) + "'");
    return static_cast<std::size_t>(found - kGrades.begin());
}

bool lost_nothing(std::string_view grade) { return grade == "best" || grade == "close"; }

bool is_obvious(std::span<const double> leads, bool is_best) {
    double least = std::numeric_limits<double>::infinity();
    for (const double lead : leads)
        if (std::abs(lead) > kSame && lead < least) least = lead;
    return std::isinf(least) || (is_best && least >= kObviousLead);
}

std::string_view kind_of(int turn, double foul, double fantasyland, bool same_discards) {
    if (turn == 0) return "opening";
    if (foul != 0.0 || fantasyland != 0.0) {
        if (std::abs(foul) >= std::abs(fantasyland)) return foul < 0 ? "foul_risked" : "foul_feared";
        return fantasyland < 0 ? "fantasyland_missed" : "fantasyland_chased";
    }
    return same_discards ? "row" : "discard";
}

}  // namespace ofc::review
