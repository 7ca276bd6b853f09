// Drills: questions by seed, and when mistakes come back.
#include "bindings/training.hpp"
#include "bindings/unlocked.hpp"
#include "drills/answers.hpp"
#include "drills/repetition.hpp"
#include "json/members.hpp"

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
    nb::list bands;
    for (const Band& band : kFoulBands) bands.append(nb::make_tuple(band.from, band.to));
    m.attr("FOUL_BANDS") = bands;
    m.def(
        "judge_answer",
        [](const review::Judge& judge, const Knowledge& known, const std::optional<Placement>& asked,
           const std::optional<Placement>& placement, std::optional<int> band) {
            known.now.verify_played_by(judge.rules(), "judge");
            const Drill drill{.kind = "", .information = known.now, .placement = asked, .seconds = {}};
            const Unlocked unlocked;
            return json_text(judge_answer(judge, drill, placement, band));
        },
        "judge"_a, "information"_a, "asked"_a.none(), "placement"_a.none() = nb::none(), "band"_a.none() = nb::none(),
        "What an answer to a drill is worth, as JSON text: `asked` is the placement whose chance of a foul is asked "
        "for, or None; the answer a placement, a band, or neither.",
        nb::sig("def judge_answer(judge: Judge, information: InformationSet, asked: Placement | None, placement: "
                "Placement | None = None, band: int | None = None) -> str"));
    m.def(
        "rest_after_answer",
        [](int box, bool is_right) {
            const NextBox next = after_answer(box, is_right);
            return std::pair(next.box, next.rest_minutes);
        },
        "box"_a, "is_right"_a, "The box that a mistake moves to, and minutes until it is due again.");
}

}  // namespace ofc::python
