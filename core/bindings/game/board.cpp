// Boards, placements and results.
#include "bindings/bindings.hpp"

namespace ofc::python {

using namespace nb::literals;

namespace {

// A board together with the rules it is read by.
struct RuledBoard {
    Board board;
    const Rules* rules;

    BoardSummary summary() const {
        board.verify_complete();
        return summarize(board, *rules);
    }
    bool operator==(const RuledBoard&) const = default;
};

nb::list names_list(CardSet cards) {
    nb::list list;
    for (const int card : to_list(cards)) list.append(card_name(card));
    return list;
}

nb::dict board_dict(const Board& board) {
    nb::dict dict;
    for (int row = 0; row < kRows; ++row) dict[kRowNames[row]] = names_list(board.rows[row]);
    return dict;
}

nb::object royalties_object(const BoardSummary& summary) {
    const nb::object type = nb::module_::import_("ofc_env.results").attr("Royalties");
    return type(summary.royalties[0], summary.royalties[1], summary.royalties[2], summary.royalty_total);
}

std::array<std::string, kRows> row_names(const Board& board) {
    std::array<std::string, kRows> result;
    RowValue limit = kNoLimit;
    for (int row = kBottom; row >= kTop; --row) {
        if (board.free_slots(row)) continue;
        const RowValue value = row == kTop ? read_top(board.rows[row], limit) : read_five(board.rows[row], limit);
        if (value == kNoReading) {
            result[row] = "foul: " + value_name(row == kTop ? read_top(board.rows[row]) : read_five(board.rows[row])) +
                          " above " + value_name(limit);
            break;
        }
        result[row] = value_name(value);
        limit = value;
    }
    return result;
}

std::vector<std::optional<RowValue>> optional_values(const BoardSummary& summary) {
    std::vector<std::optional<RowValue>> values;
    for (const RowValue value : summary.values)
        values.push_back(value == kNoReading ? std::nullopt : std::optional(value));
    return values;
}

template <class T>
nb::list pair(const T& a, const T& b) {
    nb::list list;
    list.append(a);
    list.append(b);
    return list;
}

nb::list lines(const HandResult& result, int sign) {
    nb::list list;
    for (const int line : result.lines) list.append(sign * line);
    return list;
}

// `result` with the rules that scored it: they are needed to show its boards.
struct RuledResult {
    HandResult result;
    const Rules* rules;
    bool operator==(const RuledResult&) const = default;
};

// Throws unless two boards can be scored against each other.
void verify_scoring(const std::array<Board, 2>& boards, const std::array<int, 2>& chips,
                    const std::array<int, 2>& fantasyland, const Rules& rules) {
    for (const Board& board : boards) {
        if (board.all() & ~kFullDeck) throw std::invalid_argument("a board holds cards that do not exist");
        rules.verify_cards(board.all());
        board.verify();
        board.verify_complete();
    }
    if (const CardSet shared = boards[0].all() & boards[1].all())
        throw std::invalid_argument("card " + card_name(lowest(shared)) + " is on both boards");
    for (int seat = 0; seat < 2; ++seat) {
        if (chips[seat] < 0 || chips[seat] > kMostStack)
            throw std::invalid_argument("chips of seat " + std::to_string(seat) + " are " +
                                        std::to_string(chips[seat]));
        const int width = fantasyland[seat];
        if (width && (width < kSmallestFantasyland || width > kLargestFantasyland))
            throw std::invalid_argument("fantasyland of seat " + std::to_string(seat) + " is " + std::to_string(width) +
                                        " cards; it is 0 for normal play or 14 to 17");
    }
}

nb::dict result_dict(const RuledResult& ruled) {
    const HandResult& result = ruled.result;
    nb::dict dict;
    const auto royalties = [&](int seat) {
        nb::dict d;
        for (int row = 0; row < kRows; ++row) d[kRowNames[row]] = result.summaries[seat].royalties[row];
        d["total"] = result.summaries[seat].royalty_total;
        return d;
    };
    const auto line_dict = [&](int sign) {
        nb::dict d;
        for (int row = 0; row < kRows; ++row) d[kRowNames[row]] = sign * result.lines[row];
        return d;
    };
    dict["boards"] = pair(board_dict(result.boards[0]), board_dict(result.boards[1]));
    dict["busted"] = pair(result.summaries[0].fouled, result.summaries[1].fouled);
    dict["royalties"] = pair(royalties(0), royalties(1));
    dict["line_results"] = pair(line_dict(1), line_dict(-1));
    dict["scoop"] = result.scoop;
    dict["raw_score"] = pair(result.points, -result.points);
    dict["actual_score"] = pair(result.chips_moved, -result.chips_moved);
    dict["chips"] = pair(result.chips[0], result.chips[1]);
    dict["fl_entry"] = pair(result.entered(0), result.entered(1));
    dict["fl_stay"] = pair(result.stayed(0), result.stayed(1));
    dict["fl_card_count"] = pair(result.next_width[0], result.next_width[1]);
    return dict;
}

}  // namespace

nb::object board_object(const Board& board, const Rules* rules) { return nb::cast(RuledBoard{board, rules}); }
nb::object result_object(const HandResult& result, const Rules* rules) { return nb::cast(RuledResult{result, rules}); }
const Rules& rules_of_result(nb::handle result) { return *cast_or_refuse<RuledResult>(result, "a HandResult").rules; }

HandResult result_of(nb::handle result) { return cast_or_refuse<RuledResult>(result, "a HandResult").result; }
Board board_of(nb::handle board) { return cast_or_refuse<RuledBoard>(board, "a Board").board; }

#define CARDS_TYPE "str | typing.Iterable[str | int]"

void bind_board(nb::module_& m) {
    nb::class_<RuledBoard>(m, "Board", "Three rows of cards, complete or not. Order inside a row means nothing.")
        .def(
            "__init__",
            [](RuledBoard* self, nb::handle top, nb::handle middle, nb::handle bottom, nb::handle rules) {
                Board board{{to_card_set(top, "top row"), to_card_set(middle, "middle row"),
                             to_card_set(bottom, "bottom row")}};
                board.verify();
                const Rules* ruled = to_rules(rules);
                ruled->verify_cards(board.all());
                new (self) RuledBoard{board, ruled};
            },
            "top"_a = nb::make_tuple(), "middle"_a = nb::make_tuple(), "bottom"_a = nb::make_tuple(),
            "rules"_a = nb::none(),
            nb::sig("def __init__(self, top: " CARDS_TYPE " = (), middle: " CARDS_TYPE " = (), bottom: " CARDS_TYPE
                    " = (), rules: Rules | None = None) -> None"))
        .def_prop_ro("top", [](const RuledBoard& b) { return to_list(b.board.rows[kTop]); })
        .def_prop_ro("middle", [](const RuledBoard& b) { return to_list(b.board.rows[kMiddle]); })
        .def_prop_ro("bottom", [](const RuledBoard& b) { return to_list(b.board.rows[kBottom]); })
        .def_prop_ro("rules", [](const RuledBoard& b) { return *b.rules; })
        .def_prop_ro(
            "complete", [](const RuledBoard& b) { return b.board.complete(); }, "Whether all 13 cards are placed.")
        .def_prop_ro(
            "fouled", [](const RuledBoard& b) { return b.summary().fouled; },
            "Whether no reading keeps top <= middle <= bottom; complete boards only.")
        .def_prop_ro(
            "royalties", [](const RuledBoard& b) { return royalties_object(b.summary()); },
            "Royalties (top, middle, bottom, total); complete boards only.",
            nb::sig("def royalties(self) -> ofc_env.results.Royalties"))
        .def_prop_ro(
            "row_names", [](const RuledBoard& b) { return row_names(b.board); },
            "What each complete row is read as, in words; \"\" for the others.")
        .def_prop_ro(
            "row_values", [](const RuledBoard& b) { return optional_values(b.summary()); },
            "The readings of top, middle, bottom as numbers; None from the row on that fouls.")
        .def_prop_ro(
            "fantasyland_cards", [](const RuledBoard& b) { return b.summary().entry_width; },
            "Cards of the fantasyland this board wins when played normally, 0 if none.")
        .def_prop_ro(
            "stays", [](const RuledBoard& b) { return b.summary().stays; },
            "Whether this board, set in fantasyland, keeps its player there.")
        .def(
            "to_dict", [](const RuledBoard& b) { return board_dict(b.board); }, "Card names by row.",
            nb::sig("def to_dict(self) -> dict[str, list[str]]"))
        .def("__str__", [](const RuledBoard& b) { return b.board.text(); })
        .def("__repr__",
             [](const RuledBoard& b) {
                 return "Board(top='" + names(b.board.rows[0]) + "', middle='" + names(b.board.rows[1]) +
                        "', bottom='" + names(b.board.rows[2]) + "')";
             })
        .def("__eq__", &equals<RuledBoard>, nb::arg().none())
        .def("__hash__",
             [](const RuledBoard& b) {
                 return static_cast<Py_ssize_t>(
                     combine_seeds(combine_seeds(b.board.rows[0], b.board.rows[1]), b.board.rows[2]) >> 2);
             })
        .def("__getstate__", [](const RuledBoard& b) { return std::make_pair(b.board.rows, b.rules->text()); })
        .def("__setstate__", [](RuledBoard& self, const std::pair<std::array<CardSet, 3>, std::string>& state) {
            Board board{state.first};
            if (board.all() & ~kFullDeck)
                throw std::invalid_argument("the pickled board holds cards that do not exist");
            board.verify();
            const Rules* rules = intern(Rules::parse(state.second));
            rules->verify_cards(board.all());
            new (&self) RuledBoard{board, rules};
        });

    nb::class_<Placement>(m, "Placement", "Where the cards of one turn go.")
        .def(
            "__init__",
            [](Placement* self, nb::handle top, nb::handle middle, nb::handle bottom, nb::handle discards) {
                const std::array<CardSet, 4> parts{to_card_set(top, "top row"), to_card_set(middle, "middle row"),
                                                   to_card_set(bottom, "bottom row"),
                                                   to_card_set(discards, "discards")};
                CardSet seen = 0;
                for (const CardSet part : parts) {
                    if (seen & part)
                        throw std::invalid_argument("card " + card_name(lowest(seen & part)) + " is placed twice");
                    seen |= part;
                }
                new (self) Placement{{parts[0], parts[1], parts[2]}, parts[3]};
            },
            "top"_a = nb::make_tuple(), "middle"_a = nb::make_tuple(), "bottom"_a = nb::make_tuple(),
            "discards"_a = nb::make_tuple(),
            nb::sig("def __init__(self, top: " CARDS_TYPE " = (), middle: " CARDS_TYPE " = (), bottom: " CARDS_TYPE
                    " = (), discards: " CARDS_TYPE " = ()) -> None"))
        .def_prop_ro("top", [](const Placement& p) { return to_list(p.rows[kTop]); })
        .def_prop_ro("middle", [](const Placement& p) { return to_list(p.rows[kMiddle]); })
        .def_prop_ro("bottom", [](const Placement& p) { return to_list(p.rows[kBottom]); })
        .def_prop_ro("discards", [](const Placement& p) { return to_list(p.discards); })
        .def_static("parse", &Placement::parse, "text"_a,
                    "Placement from \"Ah>t Kd>b 2c>x\": t, m, b for the rows, x for a discard.")
        .def("__str__", &Placement::text)
        .def("__repr__", [](const Placement& p) { return "Placement.parse('" + p.text() + "')"; })
        .def("__eq__", &equals<Placement>, nb::arg().none())
        .def("__hash__",
             [](const Placement& p) {
                 return static_cast<Py_ssize_t>(
                     combine_seeds(combine_seeds(p.rows[0], p.rows[1]), combine_seeds(p.rows[2], p.discards)) >> 2);
             })
        .def("__getstate__", &Placement::text)
        .def("__setstate__",
             [](Placement& self, const std::string& text) { new (&self) Placement(Placement::parse(text)); });

    nb::class_<RuledResult>(m, "HandResult", "The outcome of a hand; pairs are by seat.")
        .def_prop_ro(
            "boards",
            [](const RuledResult& r) {
                return pair(board_object(r.result.boards[0], r.rules), board_object(r.result.boards[1], r.rules));
            },
            nb::sig("def boards(self) -> list[Board]"))
        .def_prop_ro(
            "busted",
            [](const RuledResult& r) { return pair(r.result.summaries[0].fouled, r.result.summaries[1].fouled); },
            nb::sig("def busted(self) -> list[bool]"))
        .def_prop_ro(
            "royalties",
            [](const RuledResult& r) {
                return pair(royalties_object(r.result.summaries[0]), royalties_object(r.result.summaries[1]));
            },
            nb::sig("def royalties(self) -> list[ofc_env.results.Royalties]"))
        .def_prop_ro(
            "line_results", [](const RuledResult& r) { return pair(lines(r.result, 1), lines(r.result, -1)); },
            "Top, middle, bottom from each seat's side: 1 won, 0 equal, -1 lost.",
            nb::sig("def line_results(self) -> list[list[int]]"))
        .def_prop_ro(
            "scoop", [](const RuledResult& r) { return r.result.scoop; }, "The seat that won all three rows, or None.")
        .def_prop_ro(
            "raw_score", [](const RuledResult& r) { return pair(r.result.points, -r.result.points); },
            "Points of the hand.", nb::sig("def raw_score(self) -> list[int]"))
        .def_prop_ro(
            "actual_score", [](const RuledResult& r) { return pair(r.result.chips_moved, -r.result.chips_moved); },
            "Points capped by the loser's chips.", nb::sig("def actual_score(self) -> list[int]"))
        .def_prop_ro(
            "chips", [](const RuledResult& r) { return pair(r.result.chips[0], r.result.chips[1]); },
            "Chips after the hand.", nb::sig("def chips(self) -> list[int]"))
        .def_prop_ro(
            "fl_entry", [](const RuledResult& r) { return pair(r.result.entered(0), r.result.entered(1)); },
            "Fantasyland won from normal play.", nb::sig("def fl_entry(self) -> list[bool]"))
        .def_prop_ro(
            "fl_stay", [](const RuledResult& r) { return pair(r.result.stayed(0), r.result.stayed(1)); },
            "Fantasyland kept.", nb::sig("def fl_stay(self) -> list[bool]"))
        .def_prop_ro(
            "fl_card_count", [](const RuledResult& r) { return pair(r.result.next_width[0], r.result.next_width[1]); },
            "Cards of the next hand's fantasyland, 0 for none.", nb::sig("def fl_card_count(self) -> list[int]"))
        .def_prop_ro(
            "fantasyland", [](const RuledResult& r) { return pair(r.result.fantasyland[0], r.result.fantasyland[1]); },
            "Cards of this hand's fantasyland, 0 for normal play.", nb::sig("def fantasyland(self) -> list[int]"))
        .def("to_dict", &result_dict, "The body of a hand_end message: plain lists, dicts and card names.",
             nb::sig("def to_dict(self) -> dict[str, typing.Any]"))
        .def("__repr__",
             [](const RuledResult& r) {
                 return "HandResult(" + r.result.boards[0].text() + " v " + r.result.boards[1].text() + ": " +
                        std::to_string(r.result.points) + ")";
             })
        .def("__eq__", &equals<RuledResult>, nb::arg().none())
        .def("__getstate__",
             [](const RuledResult& r) {
                 const HandResult& h = r.result;
                 return nb::make_tuple(h.boards[0].rows, h.boards[1].rows,
                                       std::array<int, 2>{h.chips[0] - h.chips_moved, h.chips[1] + h.chips_moved},
                                       h.fantasyland, r.rules->text());
             })
        .def("__setstate__",
             [](RuledResult& self, const std::tuple<std::array<CardSet, 3>, std::array<CardSet, 3>, std::array<int, 2>,
                                                    std::array<int, 2>, std::string>& state) {
                 const Rules* rules = intern(Rules::parse(std::get<4>(state)));
                 const std::array<Board, 2> boards{Board{std::get<0>(state)}, Board{std::get<1>(state)}};
                 verify_scoring(boards, std::get<2>(state), std::get<3>(state), *rules);
                 new (&self) RuledResult{score_boards(boards, std::get<2>(state), std::get<3>(state), *rules), rules};
             });

    m.attr("HandResult").attr("__hash__") = nb::none();  // equal by value, so not to be a key by identity
    m.def(
        "score_boards",
        [](const RuledBoard& a, const RuledBoard& b, std::array<int, 2> chips, std::array<int, 2> fantasyland,
           nb::handle rules) {
            const Rules* ruled = rules.is_none() ? a.rules : to_rules(rules);
            verify_scoring({a.board, b.board}, chips, fantasyland, *ruled);
            return RuledResult{score_boards({a.board, b.board}, chips, fantasyland, *ruled), ruled};
        },
        "a"_a, "b"_a, "chips"_a = std::array<int, 2>{200, 200}, "fantasyland"_a = std::array<int, 2>{0, 0},
        "rules"_a = nb::none(),
        "Score of two complete boards, a in seat 0; `fantasyland` gives the widths of boards set in it, for the stay "
        "rule.",
        nb::sig("def score_boards(a: Board, b: Board, chips: typing.Sequence[int] = (200, 200), fantasyland: "
                "typing.Sequence[int] = (0, 0), rules: Rules | None = None) -> HandResult"));
}

}  // namespace ofc::python
