// Rules.
#include "game/rules.hpp"
#include "bindings/fields.hpp"

namespace ofc::python {

using namespace nb::literals;

const Rules* to_rules(nb::handle rules) {
    if (rules.is_none()) return default_rules();
    if (nb::isinstance<nb::str>(rules)) return intern(Rules::parse(nb::cast<std::string>(rules)));
    return intern(cast_or_refuse<Rules>(rules, "rules (give Rules, their text form, or None)"));
}

void bind_rules(nb::module_& m) {
    auto rules = nb::class_<Rules>(
        m, "Rules", "The numbers of the rules that house variants change. Frozen; the default is the standard game.");
    rules
        .def(
            "__init__",
            [](Rules* self, const nb::kwargs& given) { new (self) Rules(with_fields("rules", Rules{}, given)); },
            "fields"_a, nb::sig(kept("def __init__(self, *, " + field_arguments<Rules>() + ") -> None")))
        .def_static("parse", &Rules::parse, "text"_a, "Rules from their text form; fields left out keep their default.")
        .def(
            "royalty",
            [](const Rules& ruled, const std::string& row, RowValue value) {
                value_name(value);  // throws on a number that is no value of a row
                for (int i = 0; i < kRows; ++i)
                    if (row == kRowNames[i]) return ruled.royalty(static_cast<Row>(i), value);
                throw std::invalid_argument("there is no row '" + row + "': choose top, middle or bottom");
            },
            "row"_a, "value"_a, "Royalties of a row (\"top\", \"middle\" or \"bottom\") of this value.");
    def_fields<Rules>(rules, "Rules", "rules");
}

}  // namespace ofc::python
