// What the pages beside the table ask, bound: drills, positions that somebody wrote, openings.
#pragma once

#include "bindings/bindings.hpp"

namespace ofc::python {

// A Python text as UTF-8; half a character, which UTF-8 cannot write, is refused as what it is.
std::string utf8_of(nb::handle text, const char* what);

void bind_positions(nb::module_& module);
void bind_openings(nb::module_& module);
void bind_drills(nb::module_& module);

}  // namespace ofc::python
