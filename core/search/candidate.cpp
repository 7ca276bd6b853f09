#include "search/candidate.hpp"

#include <algorithm>
#include <cmath>

namespace ofc {

std::string Candidate::text() const { return placement.text() + " " + fields::text(*this); }

Candidate Candidate::unknown(const Placement& placement) {
    Candidate candidate{.placement = placement};
    for_each_field(candidate, [](const Field&, auto& number) {
        if constexpr (std::is_floating_point_v<std::remove_cvref_t<decltype(number)>>) number = std::nan("");
    });
    return candidate;
}

Candidate Candidate::parse(std::string_view text) {
    const auto numbers = text.find('=');
    const auto split = numbers == std::string_view::npos ? text.size() : text.rfind(' ', numbers);
    Candidate candidate = unknown(Placement::parse(text.substr(0, split == std::string_view::npos ? 0 : split)));
    if (numbers != std::string_view::npos)
        fields::read_words("candidate", candidate, text.substr(split == std::string_view::npos ? 0 : split));
    return candidate;
}

void order_by_mean(std::vector<Candidate>& candidates) {
    if (candidates.empty()) return;
    std::stable_sort(candidates.begin() + 1, candidates.end(), [](const Candidate& a, const Candidate& b) {
        return a.mean > b.mean || (a.mean == a.mean && b.mean != b.mean);
    });
    for (std::size_t i = 1; i < candidates.size(); ++i)
        candidates[i].too_close = candidates[i].mean > candidates.front().mean;
}

}  // namespace ofc
