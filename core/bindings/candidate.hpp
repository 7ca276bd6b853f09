// A candidate with the slots that play it, as Python has it.
#pragma once

#include "bindings/bindings.hpp"
#include "search/candidate.hpp"

namespace ofc::python {

struct NamedCandidate {
    Candidate candidate;
    Slots slots;
};

nb::list candidate_list(const InformationSet& information, const std::vector<Candidate>& candidates);

inline constexpr const char* kPosition = "InformationSet | numpy.typing.NDArray[numpy.float32]";
inline constexpr const char* kPositions = "typing.Sequence[InformationSet] | numpy.typing.NDArray[numpy.float32]";

}  // namespace ofc::python
