#include "search/candidate.hpp"

namespace ofc {

std::string Candidate::text() const { return placement.text() + " " + fields::text(*this); }

Candidate Candidate::parse(std::string_view text) {
    Candidate candidate;
    const auto numbers = text.find('=');
    const auto split = numbers == std::string_view::npos ? text.size() : text.rfind(' ', numbers);
    candidate.placement = Placement::parse(text.substr(0, split == std::string_view::npos ? 0 : split));
    if (numbers != std::string_view::npos)
        fields::read_words("candidate", candidate, text.substr(split == std::string_view::npos ? 0 : split));
    return candidate;
}

}  // namespace ofc
