// What the pages beside the table ask: drills, positions that somebody wrote, openings.
#pragma once

#include "json/writer.hpp"
#include "wasm/lines.hpp"

namespace ofc::wasm {

struct TrainingQuestion {
    std::string_view name;
    void (*answer)(Lines&, Json&);
};
std::span<const TrainingQuestion> training_questions();

}  // namespace ofc::wasm
