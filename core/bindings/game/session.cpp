// Sessions.
#include "game/session.hpp"
#include "bindings/bindings.hpp"
#include "solvers/setting.hpp"

namespace ofc::python {

using namespace nb::literals;

namespace {

// A session and all its results; the core keeps only those of the last step.
struct RecordedSession {
    Session session;
    nb::list history;

    bool operator==(const RecordedSession& other) const {
        return session == other.session && history.equal(other.history);
    }
    RecordedSession copy() const { return {session, nb::cast<nb::list>(history.attr("copy")())}; }
    void record() {
        for (const HandResult& result : session.settled) history.append(result_object(result, session.rules));
    }
};

using SessionState =
    std::tuple<std::string, std::uint64_t, bool, HandState, std::array<int, 2>, std::array<int, 2>, int, int, int>;

SessionState session_state(const Session& s) {
    return {s.rules->text(), s.seed,         s.set_fantasyland != nullptr, hand_state(s.hand), s.chips, s.fantasyland,
            s.button,        s.hands_played, static_cast<int>(s.end)};
}

Session session_from_state(const SessionState& state) {
    const auto& [rules, seed, auto_fantasyland, hand, chips, fantasyland, button, hands_played, end] = state;
    Session session(seed, intern(Rules::parse(rules)), auto_fantasyland ? &set_fantasyland : nullptr);
    session.hand = hand_from_state(hand);
    session.chips = chips;
    session.fantasyland = fantasyland;
    session.button = button;
    session.hands_played = hands_played;
    if (end < 0 || end > 2) throw std::invalid_argument("not a session: its end is " + std::to_string(end));
    session.end = static_cast<SessionEnd>(end);
    if (session.hand.rules != session.rules) throw std::invalid_argument("not a session: the rules of its hand differ");
    return session;
}

// A session and its results, checked to be one that play can reach.
RecordedSession verified(Session session, const nb::list& history) {
    std::vector<HandResult> results;
    for (const nb::handle result : history) results.push_back(result_of(result));
    session.verify(results);
    return {std::move(session), history};
}

// The same state as text, so that it can be kept where no pickle should be trusted.
constexpr const char* kJsonFormat = "ofc-session-1";

nb::object to_json(const RecordedSession& s) {
    nb::list results;
    for (const nb::handle result : s.history) results.append(result.attr("__getstate__")());
    nb::dict dict;
    dict["format"] = kJsonFormat;
    dict["session"] = session_state(s.session);
    dict["history"] = results;
    return nb::module_::import_("json").attr("dumps")(dict);
}

RecordedSession from_json(nb::handle text) {
    const nb::object result_type = nb::module_::import_("ofc_env._core").attr("HandResult");
    try {
        const nb::dict dict = nb::cast<nb::dict>(nb::module_::import_("json").attr("loads")(text));
        if (nb::cast<std::string>(dict["format"]) != kJsonFormat)
            throw std::invalid_argument(std::string("this is not the format ") + kJsonFormat);
        nb::list history;
        for (const nb::handle state : nb::cast<nb::list>(dict["history"])) {
            nb::object result = result_type.attr("__new__")(result_type);
            result.attr("__setstate__")(nb::tuple(nb::borrow(state)));
            history.append(result);
        }
        return verified(session_from_state(nb::cast<SessionState>(dict["session"])), history);
    } catch (const nb::cast_error&) {
        throw std::invalid_argument("cannot read the session: a field is missing or of the wrong type");
    } catch (const nb::python_error& error) {
        throw std::invalid_argument(std::string("cannot read the session: ") + nb::str(error.value()).c_str());
    }
}

}  // namespace

void bind_session(nb::module_& m) {
    nb::class_<RecordedSession>(m, "Session",
                                "A whole session: hands in a row with chips, button, fantasyland and the stop rules.")
        .def(
            "__init__",
            [](RecordedSession* self, nb::handle seed, nb::handle rules, bool auto_fantasyland) {
                const FantasylandSetter setter = auto_fantasyland ? &set_fantasyland : nullptr;
                new (self) RecordedSession{Session(to_seed(seed), to_rules(rules), setter), {}};
            },
            "seed"_a = nb::none(), "rules"_a = nb::none(), "auto_fantasyland"_a = true,
            nb::sig("def __init__(self, seed: int | None = None, rules: Rules | str | None = None, auto_fantasyland: "
                    "bool = True) -> None"))
        .def_prop_ro(
            "hand", [](const RecordedSession& s) { return s.session.hand; },
            "A copy of the hand being played; the last one once the session is over.")
        .def_prop_ro("chips",
                     [](const RecordedSession& s) { return std::vector<int>{s.session.chips[0], s.session.chips[1]}; })
        .def_prop_ro("button", [](const RecordedSession& s) { return s.session.button; })
        .def_prop_ro(
            "fantasyland",
            [](const RecordedSession& s) {
                return std::vector<int>{s.session.fantasyland[0], s.session.fantasyland[1]};
            },
            "Widths of the hand being played, 0 for normal play.")
        .def_prop_ro("hands_played", [](const RecordedSession& s) { return s.session.hands_played; })
        .def_prop_ro(
            "history", [](const RecordedSession& s) { return s.copy().history; },
            "The HandResult of every finished hand.", nb::sig("def history(self) -> list[HandResult]"))
        .def_prop_ro("finished", [](const RecordedSession& s) { return s.session.finished(); })
        .def_prop_ro(
            "winner", [](const RecordedSession& s) { return s.session.winner(); },
            "Seat with more chips at the end; None before, and if they are equal.")
        .def_prop_ro(
            "reason",
            [](const RecordedSession& s) -> std::optional<std::string> {
                return s.session.finished() ? std::optional<std::string>(session_end_name(s.session.end))
                                            : std::nullopt;
            },
            "Why it ended: \"no_chips\" or \"chip_gap\"; None before.")
        .def_prop_ro("rules", [](const RecordedSession& s) { return *s.session.rules; })
        .def_prop_ro("seed", [](const RecordedSession& s) { return s.session.seed; })
        .def_prop_ro(
            "auto_fantasyland", [](const RecordedSession& s) { return s.session.set_fantasyland != nullptr; },
            "Whether the solver sets fantasyland hands without a step.")
        .def(
            "step",
            [](RecordedSession& s, int action) {
                s.session.step(action);
                s.record();
            },
            "action"_a, "Play one slot; a hand that ends is settled and the next one dealt.")
        .def(
            "place",
            [](RecordedSession& s, const Placement& placement) {
                s.session.place(placement);
                s.record();
            },
            "placement"_a, "Play a whole turn, or set a fantasyland hand.")
        .def("clone", [](const RecordedSession& s) { return s.copy(); })
        .def("__copy__", [](const RecordedSession& s) { return s.copy(); })
        .def(
            "__deepcopy__", [](const RecordedSession& s, nb::handle) { return s.copy(); }, "memo"_a)
        .def("__eq__", &equals<RecordedSession>, nb::arg().none())
        .def("to_json", &to_json, "All of the session as text; from_json() goes on from there.",
             nb::sig("def to_json(self) -> str"))
        .def_static("from_json", &from_json, "text"_a,
                    "A session from to_json(), checked to be one that play can reach.",
                    nb::sig("def from_json(text: str) -> Session"))
        .def("__getstate__",
             [](const RecordedSession& s) { return nb::make_tuple(session_state(s.session), s.history); })
        .def("__setstate__",
             [](RecordedSession& self, const std::tuple<SessionState, nb::list>& state) {
                 new (&self) RecordedSession(verified(session_from_state(std::get<0>(state)), std::get<1>(state)));
             })
        .def("__repr__", [](const RecordedSession& s) {
            return "<Session: " + std::to_string(s.session.hands_played) + " hands played, chips " +
                   std::to_string(s.session.chips[0]) + " : " + std::to_string(s.session.chips[1]) + ">";
        });
    m.attr("Session").attr("__hash__") = nb::none();  // equal by value, and it changes
}

}  // namespace ofc::python
