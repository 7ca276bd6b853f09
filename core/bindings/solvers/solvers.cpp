// Exact solvers: fantasyland and the last turn.
#include <cmath>

#include "bindings/bindings.hpp"
#include "bindings/unlocked.hpp"
#include "env/observation.hpp"
#include "players/likely_boards.hpp"
#include "solvers/fantasyland.hpp"
#include "solvers/last_turn.hpp"

namespace ofc::python {

using namespace nb::literals;

namespace {

// Boards an opponent may have: none, one, or a list.
std::vector<BoardSummary> summaries_of(nb::handle opponent, CardSet cards, const Rules& rules) {
    std::vector<BoardSummary> summaries;
    const auto add = [&](nb::handle item) {
        const Board board = board_of(item);
        board.verify_complete();
        if (const CardSet shared = board.all() & cards)
            throw std::invalid_argument("card " + card_name(lowest(shared)) +
                                        " is in the hand and on the opponent's board");
        rules.verify_cards(board.all());
        summaries.push_back(summarize(board, rules));
    };
    if (opponent.is_none()) return summaries;
    if (nb::isinstance<nb::list>(opponent) || nb::isinstance<nb::tuple>(opponent))
        for (const nb::handle item : nb::iter(opponent)) add(item);
    else
        add(opponent);
    return summaries;
}

struct RuledSolution {
    FantasylandSolution solution;
    const Rules* rules;

    bool operator==(const RuledSolution& other) const {
        return solution.placement == other.solution.placement && solution.value == other.solution.value &&
               rules == other.rules;
    }
};

RuledSolution solve(nb::handle cards, std::optional<double> stay_value, nb::handle opponent, nb::handle rules,
                    decltype(&solve_fantasyland) method) {
    const CardSet set = to_card_set(cards, "hand");
    verify_fantasyland_cards(set);
    const Rules* ruled = to_rules(rules);
    ruled->verify_cards(set);
    const auto opponents = summaries_of(opponent, set, *ruled);
    const double stay = stay_value.value_or(default_stay_value(count(set), *ruled));
    if (!std::isfinite(stay))
        throw std::invalid_argument("a stay_value of " + std::to_string(stay) + " is not a number one can add up");
    const Unlocked unlocked;
    return {method(set, stay, *ruled, opponents), ruled};
}

InformationSet information_to_act(nb::handle position, const Rules* rules) {
    if (nb::isinstance<Hand>(position)) {
        const Hand& hand = nb::cast<const Hand&>(position);
        if (hand.finished()) throw std::invalid_argument("the hand is finished: there is no last turn to solve");
        const InformationSet info = information_set(hand, hand.player);
        if (rules) info.verify_played_by(*rules, "answer");
        return info;
    }
    return to_knowledge(position, rules).now;
}

nb::dict last_turn(nb::handle position, nb::handle reward, nb::handle rules, int samples, nb::handle seed) {
    const InformationSet info = information_to_act(position, rules.is_none() ? nullptr : to_rules(rules));
    const Rules* ruled = info.rules;
    const RewardConfig config = to_reward(reward, "equity", *ruled);
    if (samples < 1) throw std::invalid_argument("samples is " + std::to_string(samples) + "; at least 1 is needed");
    Rng rng(to_seed(seed));
    TurnValues values;
    {
        const Unlocked unlocked;
        std::vector<HiddenBoard> hidden;
        if (info.opponent_fantasyland)
            hidden = sample_hidden_boards(info.unseen, info.opponent_fantasyland, samples, rng, config, *ruled);
        values = solve_last_turn(info, config, *ruled, hidden);
    }
    nb::dict dict;
    for (int slot = 0; slot < kTurnSlots; ++slot)
        if (values[slot] == values[slot]) dict[nb::int_(slot)] = values[slot];
    return dict;
}

nb::list likely_boards(nb::handle position, int boards, nb::handle seed) {
    const InformationSet info = to_knowledge(position, nullptr).now;
    std::vector<Board> found;
    {
        const std::uint64_t key = observation_key(info, to_seed(seed));
        const Unlocked unlocked;
        Rng rng(key);
        found = sample_boards(info, boards, rng);
    }
    nb::list list;
    for (const Board& board : found) list.append(board_object(board, info.rules));
    return list;
}

}  // namespace

#define SOLVE_SIGNATURE(name)                                                                               \
    nb::sig("def " name                                                                                     \
            "(cards: str | typing.Iterable[str | int], stay_value: float | None = None, opponent: Board | " \
            "typing.Sequence[Board] | None = None, "                                                        \
            "rules: Rules | None = None) -> FantasylandSolution")

void bind_solvers(nb::module_& m) {
    nb::class_<RuledSolution>(m, "FantasylandSolution", "The best setting of a fantasyland hand.")
        .def_prop_ro("placement", [](const RuledSolution& s) { return s.solution.placement; })
        .def_prop_ro(
            "board", [](const RuledSolution& s) { return board_object(s.solution.board(), s.rules); },
            nb::sig("def board(self) -> Board"))
        .def_prop_ro(
            "royalties", [](const RuledSolution& s) { return s.solution.summary.royalty_total; }, "Total royalties.")
        .def_prop_ro("stays", [](const RuledSolution& s) { return s.solution.summary.stays; })
        .def_prop_ro(
            "value", [](const RuledSolution& s) { return s.solution.value; }, "What was maximised.")
        .def("__eq__", &equals<RuledSolution>, nb::arg().none())
        .def("__getstate__",
             [](const RuledSolution& s) {
                 return std::make_tuple(s.solution.placement.text(), s.solution.value, s.rules->text());
             })
        .def("__setstate__",
             [](RuledSolution& self, const std::tuple<std::string, double, std::string>& state) {
                 const Placement placement = Placement::parse(std::get<0>(state));
                 const Board board{placement.rows};
                 board.verify();
                 board.verify_complete();
                 const Rules* rules = intern(Rules::parse(std::get<2>(state)));
                 new (&self) RuledSolution{{placement, summarize(board, *rules), std::get<1>(state)}, rules};
             })
        .def("__repr__", [](const RuledSolution& s) {
            return "FantasylandSolution(" + s.solution.board().text() + ", value " + std::to_string(s.solution.value) +
                   ")";
        });
    m.attr("FantasylandSolution").attr("__hash__") = nb::none();  // equal by value, so not to be a key by identity
    m.def(
        "solve_fantasyland",
        [](nb::handle cards, std::optional<double> stay, nb::handle opponent, nb::handle rules) {
            return solve(cards, stay, opponent, rules, &solve_fantasyland);
        },
        "cards"_a, "stay_value"_a = nb::none(), "opponent"_a = nb::none(), "rules"_a = nb::none(),
        "The exact best setting of 14 to 17 cards: highest royalties + stay_value if it stays; against an opponent's "
        "board, or a list of boards it may have,\n"
        "highest mean points + stay_value. Ties go to the stronger bottom, then middle, then top. The default "
        "stay_value is that of the equity reward.",
        SOLVE_SIGNATURE("solve_fantasyland"));
    m.def(
        "brute_force_fantasyland",
        [](nb::handle cards, std::optional<double> stay, nb::handle opponent, nb::handle rules) {
            return solve(cards, stay, opponent, rules, &brute_force_fantasyland);
        },
        "cards"_a, "stay_value"_a = nb::none(), "opponent"_a = nb::none(), "rules"_a = nb::none(),
        "solve_fantasyland by trying every setting; for proofs.", SOLVE_SIGNATURE("brute_force_fantasyland"));
    m.attr("MOST_LIKELY_BOARDS") = kMostLikelyBoards;
    m.def("sample_boards", &likely_boards, "position"_a, "boards"_a = 64, "seed"_a = 0,
          "Boards that the opponent of a seat about to set a fantasyland hand may end with, as solve_fantasyland() "
          "takes them.\n\n"
          "Each is dealt from what the seat has not seen: played by the heuristic, or set by the solver if the "
          "opponent is in\n"
          "fantasyland too. The seed and the position fix all chance.",
          nb::sig("def sample_boards(position: InformationSet | numpy.typing.NDArray[numpy.float32], boards: int = 64, "
                  "seed: int | None = 0) -> list[Board]"));
    m.def("solve_last_turn", &last_turn, "position"_a, "reward"_a = nb::none(), "rules"_a = nb::none(),
          "samples"_a = 64, "seed"_a = 0,
          "What the seat to act is paid for every legal action on turn 4, for a Hand, an InformationSet or an "
          "observation (by the equity "
          "reward by default).\n\n"
          "Exact for the second to act; for the first, the exact mean over every draw of the opponent, which answers "
          "with its best placement;\n"
          "against fantasyland, the mean over `samples` boards dealt from the unseen cards.",
          nb::sig("def solve_last_turn(position: Hand | InformationSet | numpy.typing.NDArray[numpy.float32], reward: "
                  "RewardConfig | "
                  "str | None = None, rules: Rules | str | None = None, samples: int = 64, "
                  "seed: int | None = 0) -> dict[int, float]"));
}

}  // namespace ofc::python
