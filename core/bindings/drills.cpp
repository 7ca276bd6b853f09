// Drills: questions by seed, and when mistakes come back.
#include "bindings/training.hpp"
#include "drills/questions.hpp"
#include "drills/repetition.hpp"

namespace ofc::python {

using namespace nb::literals;

void bind_drills(nb::module_& m) {
    m.attr("DRILL_KINDS") = nb::cast(std::vector<std::string>(kDrillKinds.begin(), kDrillKinds.end()));
    m.def(
        "make_drill",
        [](const std::string& kind, std::uint64_t seed, nb::handle rules) {
            const Drill drill = make_drill(kind, seed, to_rules(rules));
            return nb::make_tuple(Knowledge{drill.information, {}}, drill.placement, drill.seconds);
        },
        "kind"_a, "seed"_a, "rules"_a = nb::none(),
        "The question of a kind that belongs to a seed: what the seat knows, what was placed, seconds to answer.",
        nb::sig("def make_drill(kind: str, seed: int, rules: Rules | str | None = None) -> tuple[InformationSet, "
                "Placement | None, int | None]"));
    m.attr("FIRST_REST_MINUTES") = kFirstRestMinutes;
    m.attr("REST_DAYS") = nb::cast(std::vector<int>(kRestDays.begin(), kRestDays.end()));
    m.def(
        "rest_after_answer",
        [](int box, bool is_right) {
            const NextBox next = after_answer(box, is_right);
            return std::pair(next.box, next.rest_minutes);
        },
        "box"_a, "is_right"_a, "The box that a mistake moves to, and minutes until it is due again.");
}

}  // namespace ofc::python
