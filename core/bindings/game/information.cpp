// What a seat knows.
#include <algorithm>

#include "bindings/bindings.hpp"
#include "game/fouls.hpp"
#include "search/world.hpp"

namespace ofc::python {

using namespace nb::literals;

namespace {

const Rules& otherwise_house(const Rules* rules) { return rules ? *rules : *default_rules(); }

InformationSet information_of(const nb::ndarray<nb::ro>& observation, const Rules* rules, bool short_deck = false) {
    return decode_observation({numbers_of<float>(observation, {kObservation}, "an observation"), kObservation},
                              &otherwise_house(rules), short_deck);
}

Knowledge knowledge_of(nb::handle object, const char* what, const Rules* rules) {
    Knowledge known = cast_or_refuse<Knowledge>(object, what);
    if (rules) known.now.verify_played_by(*rules, "player");
    return known;
}

}  // namespace

Knowledge to_knowledge(nb::handle position, const Rules* rules) {
    if (nb::isinstance<Knowledge>(position)) return knowledge_of(position, "an InformationSet", rules);
    return {information_of(
                cast_or_refuse<nb::ndarray<nb::ro>>(position, "a position (give an InformationSet or an observation)"),
                rules),
            {}};
}

std::vector<InformationSet> to_informations(nb::handle positions, const Rules* rules) {
    std::vector<InformationSet> list;
    if (nb::isinstance<nb::list>(positions) || nb::isinstance<nb::tuple>(positions)) {
        for (const nb::handle item : nb::iter(positions))
            list.push_back(knowledge_of(item, "an InformationSet", rules).now);
        return list;
    }
    const auto array = cast_or_refuse<nb::ndarray<nb::ro>>(
        positions, "positions (give a list of InformationSets or an array of observations)");
    if (array.ndim() != 2)
        throw std::invalid_argument("observations should have shape (N, 490), not be " + array_text(array));
    const std::size_t n = array.shape(0);
    const float* data = numbers_of<float>(array, {n, kObservation}, "observations");
    for (std::size_t i = 0; i < n; ++i)
        list.push_back(decode_observation({data + i * kObservation, kObservation}, &otherwise_house(rules)));
    return list;
}

void verify_to_place(const InformationSet& info, const std::string& what) {
    const int held = count(info.in_hand);
    if (held == 0) throw std::invalid_argument(what + " has no cards in hand: that seat is not to act");
    if (held > kOpeningCards)
        throw std::invalid_argument(what + " is a fantasyland hand of " + std::to_string(held) +
                                    " cards: set it with solve_fantasyland");
}

Knowledge to_decision(nb::handle position, const Rules* rules) {
    Knowledge known = to_knowledge(position, rules);
    verify_to_place(known.now, "the position");
    return known;
}

std::vector<InformationSet> to_decisions(nb::handle positions, const Rules* rules) {
    std::vector<InformationSet> list = to_informations(positions, rules);
    for (std::size_t i = 0; i < list.size(); ++i) verify_to_place(list[i], "position " + std::to_string(i));
    return list;
}

nb::tuple slots_tuple(const Slots& slots) {
    nb::list list;
    for (int i = 0; i < slots.count; ++i) list.append(static_cast<int>(slots.at[static_cast<std::size_t>(i)]));
    return nb::tuple(list);
}

#define CARDS_TYPE "str | typing.Iterable[str | int]"

#define DECODE_ARGUMENTS                                                                                    \
    "observation: numpy.typing.NDArray[numpy.float32], rules: Rules | str | None = None, short_deck: bool " \
    "= False"

void bind_information(nb::module_& m) {
    const auto cards = [](auto pick) { return [pick](const Knowledge& k) { return to_list(pick(k.now)); }; };
    const auto decode = [](const nb::ndarray<nb::ro>& observation, nb::handle rules, bool short_deck) {
        return Knowledge{information_of(observation, to_rules(rules), short_deck), {}};
    };
    const auto number = [](auto pick) { return [pick](const Knowledge& k) { return pick(k.now); }; };
    nb::class_<Knowledge>(
        m, "InformationSet",
        "All that a seat may know: what agents and searches speak. A value, with the seat's earlier decisions of the "
        "hand in `history`.")
        .def(
            "__init__",
            [](Knowledge* self, nb::handle top, nb::handle middle, nb::handle bottom, nb::handle opponent_top,
               nb::handle opponent_middle, nb::handle opponent_bottom, nb::handle hand, nb::handle discards, int turn,
               int opening_step, std::optional<bool> button, int opponent_fantasyland, int chips, int opponent_chips,
               nb::handle nowhere, nb::handle rules) {
                InformationSet info;
                info.rules = to_rules(rules);
                info.mine.rows = {to_card_set(top, "top"), to_card_set(middle, "middle"),
                                  to_card_set(bottom, "bottom")};
                info.opponent.rows = {to_card_set(opponent_top, "opponent's top"),
                                      to_card_set(opponent_middle, "opponent's middle"),
                                      to_card_set(opponent_bottom, "opponent's bottom")};
                info.in_hand = to_card_set(hand, "hand");
                info.discards = to_card_set(discards, "discards");
                info.leave_unseen(to_card_set(nowhere, "cards that are nowhere"));
                info.turn = turn;
                info.opening_step = opening_step;
                info.button = button.value_or(false) && !opponent_fantasyland;
                info.opponent_fantasyland = opponent_fantasyland;
                info.chips = chips;
                info.opponent_chips = opponent_chips;
                if (!button) info.seat_by_boards();
                info.verify();
                new (self) Knowledge{info, {}};
            },
            nb::kw_only(), "top"_a = nb::make_tuple(), "middle"_a = nb::make_tuple(), "bottom"_a = nb::make_tuple(),
            "opponent_top"_a = nb::make_tuple(), "opponent_middle"_a = nb::make_tuple(),
            "opponent_bottom"_a = nb::make_tuple(), "hand"_a = nb::make_tuple(), "discards"_a = nb::make_tuple(),
            "turn"_a = 0, "opening_step"_a = 0, "button"_a = nb::none(), "opponent_fantasyland"_a = 0, "chips"_a = 200,
            "opponent_chips"_a = 200, "nowhere"_a = nb::make_tuple(), "rules"_a = nb::none(),
            nb::sig("def __init__(self, *, top: " CARDS_TYPE " = (), middle: " CARDS_TYPE " = (), bottom: " CARDS_TYPE
                    " = (), opponent_top: " CARDS_TYPE " = (), opponent_middle: " CARDS_TYPE
                    " = (), opponent_bottom: " CARDS_TYPE " = (), hand: " CARDS_TYPE " = (), discards: " CARDS_TYPE
                    " = (), turn: int = 0, opening_step: int = 0, button: bool | None = None, opponent_fantasyland: "
                    "int = 0, "
                    "chips: int = 200, opponent_chips: int = 200, nowhere: " CARDS_TYPE
                    " = (), rules: Rules | str | None = None) -> None"))
        .def_prop_ro("top", cards([](const InformationSet& i) { return i.mine.rows[kTop]; }))
        .def_prop_ro("middle", cards([](const InformationSet& i) { return i.mine.rows[kMiddle]; }))
        .def_prop_ro("bottom", cards([](const InformationSet& i) { return i.mine.rows[kBottom]; }))
        .def_prop_ro("opponent_top", cards([](const InformationSet& i) { return i.opponent.rows[kTop]; }))
        .def_prop_ro("opponent_middle", cards([](const InformationSet& i) { return i.opponent.rows[kMiddle]; }))
        .def_prop_ro("opponent_bottom", cards([](const InformationSet& i) { return i.opponent.rows[kBottom]; }))
        .def_prop_ro("hand", cards([](const InformationSet& i) { return i.in_hand; }), "Cards to place, sorted.")
        .def_prop_ro("discards", cards([](const InformationSet& i) { return i.discards; }), "One's own.")
        .def_prop_ro("unseen", cards([](const InformationSet& i) { return i.unseen; }))
        .def_prop_ro("nowhere", cards([](const InformationSet& i) { return i.nowhere(); }),
                     "Cards of the rules' deck that are in no place: a short deck's.")
        .def_prop_ro("rules", number([](const InformationSet& i) { return *i.rules; }))
        .def_prop_ro("turn", number([](const InformationSet& i) { return i.turn; }))
        .def_prop_ro("opening_step", number([](const InformationSet& i) { return i.opening_step; }),
                     "1 between the two steps of an opening.")
        .def_prop_ro("button", number([](const InformationSet& i) -> std::optional<bool> {
                         return i.opponent_fantasyland ? std::nullopt : std::optional(i.button);
                     }),
                     "Whether the seat has the button; None against fantasyland, where order means nothing.")
        .def_prop_ro("opponent_fantasyland", number([](const InformationSet& i) { return i.opponent_fantasyland; }),
                     "Cards of the opponent's fantasyland, 0 for normal play.")
        .def_prop_ro("chips", number([](const InformationSet& i) { return i.chips; }))
        .def_prop_ro("opponent_chips", number([](const InformationSet& i) { return i.opponent_chips; }))
        .def_prop_ro("to_act", number([](const InformationSet& i) { return i.to_act(); }),
                     "Whether the seat holds cards to place.")
        .def_prop_ro("in_fantasyland", number([](const InformationSet& i) { return i.own_fantasyland(); }),
                     "Whether the seat sets a fantasyland hand, or has set one.")
        .def_prop_ro(
            "history",
            [](const Knowledge& k) {
                nb::list list;
                for (const InformationSet& info : k.earlier) list.append(nb::cast(Knowledge{info, {}}));
                return list;
            },
            "The seat's earlier decisions of this hand, oldest first.",
            nb::sig("def history(self) -> list[InformationSet]"))
        .def(
            "follows", [](const Knowledge& k, const Knowledge& before) { return k.now.follows(before.now); },
            "before"_a, "Whether this can be a later decision of the same seat in the same hand.")
        .def(
            "following",
            [](const Knowledge& k, const Knowledge& before) {
                if (!k.now.follows(before.now))
                    throw std::invalid_argument("'" + k.now.text() + "' is no later decision of the hand than '" +
                                                before.now.text() + "'");
                return Knowledge{k.now, before.decisions()};
            },
            "before"_a,
            "The same position, with an earlier decision of the hand and what came before it as its history.")
        .def(
            "observation",
            [](const Knowledge& k) {
                auto out = new_array<float>({kObservation});
                write_observation(k.now, out.data());
                return out;
            },
            "The 490 numbers of the RL environments: float32 (490,).")
        .def(
            "key", [](const Knowledge& k, nb::handle seed) { return observation_key(k.now, to_seed(seed)); },
            "seed"_a = 0, "A 64-bit number, evenly spread, that follows from the seed and all 490 numbers.",
            nb::sig("def key(self, seed: int = 0) -> int"))
        .def(
            "action_mask",
            [](const Knowledge& k) {
                auto out = new_array<std::int8_t>({kActions});
                std::copy_n(k.now.mask().data(), kActions, out.data());
                return out;
            },
            "int8 (150,): 1 where a slot is legal; all zero for a seat that is not to act.")
        .def(
            "legal_actions",
            [](const Knowledge& k) {
                std::vector<int> slots;
                for (int slot = 0; slot < kUsedSlots; ++slot)
                    if (k.now.mask()[slot]) slots.push_back(slot);
                return slots;
            },
            "Legal slots, ascending.")
        .def(
            "placements", [](const Knowledge& k) { return k.now.placements(); }, "Every legal placement of the turn.")
        .def(
            "actions_of",
            [](const Knowledge& k, const Placement& placement) {
                verify_to_place(k.now, "the position");
                const auto legal = k.now.placements();
                if (std::find(legal.begin(), legal.end(), placement) == legal.end())
                    throw std::invalid_argument("'" + placement.text() + "' is not a placement of " +
                                                names(k.now.in_hand) + " here");
                return slots_tuple(k.now.slots_of(placement));
            },
            "placement"_a, "The slots that play a placement: one, or two for an opening.",
            nb::sig("def actions_of(self, placement: Placement) -> tuple[int, ...]"))
        .def(
            "is_lost", [](const Knowledge& k, const Placement& placement) { return is_lost(k.now, placement); },
            "placement"_a,
            "Whether the board is fouled after a placement of the turn, whatever cards come. Before the last turn "
            "every pair of unseen cards is tried; earlier any card is taken for possible.")
        .def(
            "makes_foul_certain",
            [](const Knowledge& k, const Placement& placement) { return makes_foul_certain(k.now, placement); },
            "placement"_a, "Whether a placement loses the board in that sense, and another one of the turn does not.")
        .def_static("from_observation", decode, "observation"_a, "rules"_a = nb::none(), "short_deck"_a = false,
                    "The information set behind 490 float32 numbers, of a seat that plays by these rules. Cards that "
                    "are nowhere are refused unless the deck may be short.",
                    nb::sig("def from_observation(" DECODE_ARGUMENTS ") -> InformationSet"))
        .def_static("parse", &Knowledge::parse, "text"_a, "The information set that str() wrote.")
        .def("__str__", &Knowledge::text)
        .def("__repr__", [](const Knowledge& k) { return "InformationSet.parse('" + k.text() + "')"; })
        .def("__eq__", &equals<Knowledge>, nb::arg().none())
        .def("__hash__",
             [](const Knowledge& k) {
                 return static_cast<Py_ssize_t>((observation_key(k.now, 0) + k.earlier.size()) >> 2);
             })
        .def("__getstate__", &Knowledge::text)
        .def("__setstate__",
             [](Knowledge& self, const std::string& text) { new (&self) Knowledge(Knowledge::parse(text)); });
    m.def("decode_observation", decode, "observation"_a, "rules"_a = nb::none(), "short_deck"_a = false,
          "InformationSet.from_observation.",
          nb::sig("def decode_observation(" DECODE_ARGUMENTS ") -> InformationSet"));
    m.def(
        "decode_observations",
        [](const nb::ndarray<nb::ro>& observations, nb::handle rules) {
            nb::list list;
            for (const InformationSet& info : to_informations(nb::cast(observations), to_rules(rules)))
                list.append(nb::cast(Knowledge{info, {}}));
            return list;
        },
        "observations"_a, "rules"_a = nb::none(), "The information sets behind float32 (N, 490) observations.",
        nb::sig("def decode_observations(observations: numpy.typing.NDArray[numpy.float32], rules: Rules | str | None "
                "= None) -> list[InformationSet]"));
    m.def(
        "observation_keys",
        [](nb::handle positions, nb::handle seed, nb::handle rules) {
            const auto list = to_informations(positions, rules.is_none() ? nullptr : to_rules(rules));
            const std::uint64_t start = to_seed(seed);
            auto out = new_array<std::uint64_t>({list.size()});
            for (std::size_t i = 0; i < list.size(); ++i) out.data()[i] = observation_key(list[i], start);
            return out;
        },
        "positions"_a, "seed"_a = 0, "rules"_a = nb::none(), "InformationSet.key() of many: uint64 (N,).",
        nb::sig("def observation_keys(positions: typing.Sequence[InformationSet] | "
                "numpy.typing.NDArray[numpy.float32], seed: int = 0, rules: Rules | str | None = None) -> "
                "numpy.typing.NDArray[numpy.uint64]"));
}

}  // namespace ofc::python
