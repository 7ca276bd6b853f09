// The judge of reviews. What it says leaves as JSON text: one form for Python and for the page.
#include "review/judge.hpp"
#include <cstring>
#include "bindings/candidate.hpp"
#include "bindings/fields.hpp"
#include "bindings/network/endings.hpp"
#include "bindings/network/network.hpp"
#include "bindings/unlocked.hpp"
#include "json/members.hpp"
#include "review/positions.hpp"
#include "review/review.hpp"

namespace ofc::python {

using namespace nb::literals;
using namespace review;

namespace {

using Slopes = std::array<std::array<double, 2>, Calibration::kJudged>;

const Placement* address(const std::optional<Placement>& placement) { return placement ? &*placement : nullptr; }

void make_judge(Judge* self, const NetworkHolder* network, nb::handle reward, nb::handle rules, nb::handle effort,
                nb::handle seed, const std::string& digest, std::optional<double> start, const Slopes& slopes) {
    const Rules* ruled = network && rules.is_none() ? &network->network->rules() : to_rules(rules);
    if (network && network->network->rules().of_a_hand() != ruled->of_a_hand())
        throw std::invalid_argument("the network was trained for the rules '" + network->network->rules().name() +
                                    "', not for '" + ruled->name() + "': give one that was, or leave the rules out");
    JudgeSettings settings;
    if (!effort.is_none()) settings.effort = cast_or_refuse<Effort>(effort, "an Effort");
    settings.seed = to_seed(seed);
    settings.digest = digest;
    settings.calibration = {start, slopes};
    new (self)
        Judge(std::move(settings), network ? network->network : nullptr, to_reward(reward, "equity", *ruled), *ruled);
}

void bind_effort(nb::module_& m) {
    auto owner = nb::class_<Effort>(
        m, "Effort", "How long a judge thinks; ten times as much of everything narrows its intervals to a third.");
    owner
        .def(
            "__init__",
            [](Effort* self, const nb::kwargs& given) { new (self) Effort(with_fields("effort", Effort{}, given)); },
            "fields"_a, nb::sig(kept("def __init__(self, *, " + field_arguments<Effort>() + ") -> None")))
        .def_static("parse", &Effort::parse, "text"_a, "Fields as name=value; those left out keep their default.");
    def_fields<Effort>(owner, "Effort", "effort");
}

}  // namespace

void bind_judge(nb::module_& m) {
    bind_effort(m);
    const std::string position = std::string("position: ") + kPosition;
    auto owner = nb::class_<Judge>(m, "Judge",
                                   "Judges decisions: what a placement cost beside the best one, and why. What it says "
                                   "is JSON text, which agents.review.report reads.");
    owner
        .def("__init__", &make_judge, "network"_a.none(), nb::kw_only(), "reward"_a = nb::none(),
             "rules"_a = nb::none(), "effort"_a = nb::none(), "seed"_a = 0, "digest"_a = "", "start"_a = nb::none(),
             "slopes"_a = Calibration{}.slopes,
             "Without a network (None) heuristic playouts judge, and there is no luck. The digest of the weights goes "
             "into the judge's name; `start` and `slopes` are its calibration.",
             nb::sig("def __init__(self, network: Network | None, *, reward: RewardConfig | str | None = None, rules: "
                     "Rules | str | None = None, effort: Effort | None = None, seed: int | None = 0, digest: str = "
                     "'', start: float | None = None, slopes: typing.Sequence[typing.Sequence[float]] = ...) -> None"))
        .def_prop_ro("name", &Judge::name)
        .def(
            "judge",
            [](const Judge& judge, nb::handle at, const Placement& played, nb::handle seat, bool timed_out) {
                const Knowledge known = to_knowledge(at, &judge.rules());
                const int who = to_seat(seat);
                const Unlocked unlocked;
                return json_text(judge.judge(known.now, played, who, timed_out));
            },
            "position"_a, "played"_a, "seat"_a = 0, "timed_out"_a = false, "A decision: agents.review.report.Decision.",
            nb::sig(kept("def judge(self, " + position +
                         ", played: Placement, seat: int = 0, timed_out: bool = False) -> str")))
        .def(
            "weigh",
            [](const Judge& judge, nb::handle at, const Placement& played) {
                const Knowledge known = to_decision(at, &judge.rules());
                Judge::Weighed weighed;
                {
                    const Unlocked unlocked;
                    weighed = judge.weigh(known.now, played);
                }
                const std::size_t worlds = weighed.values[0].size();
                auto values = new_array<double>({weighed.values.size(), worlds});
                for (std::size_t i = 0; i < weighed.values.size(); ++i)
                    std::copy(weighed.values[i].begin(), weighed.values[i].end(), values.data() + i * worlds);
                return nb::make_tuple(weighed.placements, values);
            },
            "position"_a, "played"_a,
            "The best placements of a turn and the one played, the best first, and their values in worlds that are "
            "the same for all, as the calibration corrects them: float64 (placements, worlds); on the last turn "
            "(placements, 1) and exact.",
            nb::sig(kept("def weigh(self, " + position +
                         ", played: Placement) -> tuple[list[Placement], numpy.typing.NDArray[numpy.float64]]")))
        .def(
            "play",
            [](const Judge& judge, nb::handle at, const std::vector<Placement>& placements, int worlds,
               nb::handle seed) {
                const Knowledge known = to_knowledge(at, &judge.rules());
                verify_worlds(worlds, placements.size());
                const std::uint64_t number = to_seed(seed);
                std::vector<Endings> endings;
                {
                    const Unlocked unlocked;
                    endings = judge.play(known.now, placements, worlds, number);
                }
                return endings_array(endings);
            },
            "position"_a, "placements"_a, "worlds"_a = 400, "seed"_a = 0, nb::rv_policy::move,
            "How placements end, as Referee.play() tells it; fantasyland settings against boards that the opponent may "
            "end with.",
            nb::sig(kept("def play(self, " + position +
                         ", placements: typing.Sequence[Placement], worlds: int = 400, seed: int | None = 0) -> "
                         "numpy.typing.NDArray[numpy.float32]")))
        .def(
            "analyse",
            [](const Judge& judge, nb::handle at, const std::optional<Placement>& placement, bool every_chance) {
                const Knowledge known = to_knowledge(at, &judge.rules());
                const Unlocked unlocked;
                const Placement* asked = address(placement);
                return json_text(every_chance ? analysed(judge, known.now, asked) : judged(judge, known.now, asked));
            },
            "position"_a, "placement"_a = nb::none(), "every_chance"_a = true,
            "A position judged as a decision; of the best placement if none is given. With the chances of every "
            "placement that was weighed, or of two alone.",
            nb::sig(kept("def analyse(self, " + position +
                         ", placement: Placement | None = None, every_chance: bool = True) -> str")))
        .def(
            "chances",
            [](const Judge& judge, nb::handle at, const std::optional<Placement>& placement, int worlds,
               nb::handle seed) {
                const Knowledge known = to_knowledge(at, &judge.rules());
                const std::uint64_t number = to_seed(seed);
                const Unlocked unlocked;
                return json_text(chances(judge, known.now, address(placement), worlds, number));
            },
            "position"_a, "placement"_a = nb::none(), "worlds"_a = kAskedWorlds, "seed"_a = 0,
            "How the hand will end for a seat that is to act: agents.review.report.Chances.",
            nb::sig(kept("def chances(self, " + position +
                         ", placement: Placement | None = None, worlds: int = 1000, seed: int | None = 0) -> str")))
        .def(
            "hint",
            [](const Judge& judge, nb::handle at, int shown, int worlds, nb::handle seed) {
                const Knowledge known = to_knowledge(at, &judge.rules());
                const std::uint64_t number = to_seed(seed);
                const Unlocked unlocked;
                return json_text(hint(judge, known.now, shown, worlds, number));
            },
            "position"_a, "shown"_a = kHintShown, "worlds"_a = kAskedWorlds, "seed"_a = 0,
            "The placements that are worth most: a list of agents.review.report.Option.",
            nb::sig(kept("def hint(self, " + position +
                         ", shown: int = 3, worlds: int = 1000, seed: int | None = 0) -> str")))
        .def(
            "best_choice",
            [](const Judge& judge, nb::handle at) {
                const Knowledge known = to_knowledge(at, &judge.rules());
                const Unlocked unlocked;
                return judge.best_choice(known.now);
            },
            "position"_a, "What the search holds for best; of a fantasyland hand the solver's setting.",
            nb::sig(kept("def best_choice(self, " + position + ") -> Placement")))
        .def(
            "first_choice",
            [](const Judge& judge, nb::handle at) {
                const Knowledge known = to_knowledge(at, &judge.rules());
                const Unlocked unlocked;
                return judge.first_choice(known.now);
            },
            "position"_a, "The same without a search, where there is a network.",
            nb::sig(kept("def first_choice(self, " + position + ") -> Placement")))
        .def(
            "luck",
            [](const Judge& judge, const Hand& hand) {
                const Unlocked unlocked;
                return judge.luck(hand);
            },
            "hand"_a,
            "The luck of the cards that the seat to act has just been dealt, for that seat; None where nobody can "
            "judge it.")
        .def(
            "start_value",
            [](const Judge& judge, const std::array<int, 2>& widths) {
                for (const int width : widths)
                    if (width && (width < kSmallestFantasyland || width > kLargestFantasyland))
                        throw std::invalid_argument("there is no fantasyland of " + std::to_string(width) + " cards");
                const Unlocked unlocked;
                return judge.start_value(widths);
            },
            "widths"_a, "What a hand is worth to the seat that acts first before any deal; its own width first.",
            nb::sig("def start_value(self, widths: typing.Sequence[int]) -> float"))
        .def(
            "told",
            [](const Judge& judge, std::string_view hand, nb::handle seat, const std::vector<std::string>& decisions) {
                std::vector<Decision> read;
                for (const std::string& text : decisions) read.push_back(read_decision(text));
                const auto known = parse_json<ReviewedHand>(hand, "reviewed hand");
                return json_text(told(judge, known, to_seat(seat), std::move(read)));
            },
            "hand"_a, "seat"_a, "decisions"_a,
            "The review of a hand from its judged decisions: agents.review.report.HandReview.",
            nb::sig("def told(self, hand: str, seat: int, decisions: typing.Sequence[str]) -> str"));
}

}  // namespace ofc::python
