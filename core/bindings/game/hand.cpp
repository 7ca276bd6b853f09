// Hands, observations and random playouts.
#include <cstring>

#include "bindings/bindings.hpp"
#include "bindings/unlocked.hpp"
#include "env/playout.hpp"
#include "players/automatic.hpp"
#include "search/world.hpp"
#include "solvers/setting.hpp"

namespace ofc::python {

using namespace nb::literals;

HandState hand_state(const Hand& h) {
    return {h.rules->text(),
            std::vector<int>(h.deck.begin(), h.deck.begin() + h.deck_size()),
            {h.boards[0].rows, h.boards[1].rows},
            h.discards,
            h.in_hand,
            {h.chips[0], h.chips[1]},
            {h.fantasyland[0], h.fantasyland[1]},
            h.dealt,
            h.button,
            h.player,
            h.opening_step};
}

Hand hand_from_state(const HandState& s) {
    const auto& [rules, deck, boards, discards, in_hand, chips, fantasyland, dealt, button, player, opening_step] = s;
    const auto within = [](int value, int low, int high, const char* what) {
        if (value < low || value > high)
            throw std::invalid_argument(std::string("not a hand: ") + what + " is " + std::to_string(value));
        return value;
    };
    Hand hand;
    hand.rules = intern(Rules::parse(rules));
    hand.cards = to_set(deck, "deck");
    std::copy(deck.begin(), deck.end(), hand.deck.begin());
    for (int seat = 0; seat < 2; ++seat) {
        hand.boards[seat].rows = boards[seat];
        hand.chips[seat] = within(chips[seat], 0, kMostStack, "chips");
        hand.fantasyland[seat] =
            static_cast<std::uint8_t>(within(fantasyland[seat], 0, kLargestFantasyland, "fantasyland"));
    }
    hand.discards = discards;
    hand.in_hand = in_hand;
    hand.dealt = static_cast<std::uint8_t>(within(dealt, 0, kCards, "dealt"));
    hand.button = static_cast<std::int8_t>(within(button, 0, 1, "button"));
    hand.player = static_cast<std::int8_t>(within(player, -1, 1, "player"));
    hand.opening_step = static_cast<std::uint8_t>(within(opening_step, 0, 1, "opening_step"));
    hand.verify();
    return hand;
}

void bind_hand(nb::module_& m) {
    m.attr("OBSERVATION_SIZE") = kObservation;
    m.attr("NUM_ACTIONS") = kActions;
    m.attr("NUM_CARDS") = kCards;
    m.attr("NUM_PLACES") = kPlaces;  // where a card can be, as a seat sees it
    m.attr("CHIP_UNIT") = static_cast<int>(kChipScale);
    m.attr("FIRST_BOTTOM_SLOT") = kOpeningBottom;
    m.attr("FIRST_TOP_SLOT") = kOpeningTop;

    nb::class_<Hand>(m, "Hand",
                     "One hand between seats 0 and 1. A value: clone() and == compare all of it, hidden cards too.")
        .def(
            "__init__",
            [](Hand* self, nb::handle seed, nb::handle button, nb::handle chips, nb::handle fantasyland,
               nb::handle deck, nb::handle rules) {
                const Rules* ruled = to_rules(rules);
                const HandOptions options{
                    to_integer(button, "a seat for the button (give 0 or 1)"),
                    chips.is_none() ? std::array{ruled->chips, ruled->chips} : to_pair(chips, "chips"),
                    to_pair(fantasyland, "fantasyland"), ruled};
                if (deck.is_none()) {
                    new (self) Hand(Hand::from_seed(to_seed(seed), options));
                } else {
                    if (!seed.is_none()) throw std::invalid_argument("give a seed or a deck, not both");
                    new (self) Hand(Hand::from_deck(to_cards(deck), options));
                }
            },
            "seed"_a = nb::none(), "button"_a = 0, "chips"_a = nb::none(), "fantasyland"_a = nb::make_tuple(0, 0),
            "deck"_a = nb::none(), "rules"_a = nb::none(),
            nb::sig("def __init__(self, seed: int | None = None, button: int = 0, chips: typing.Sequence[int] | None = "
                    "None, "
                    "fantasyland: typing.Sequence[int] = (0, 0), "
                    "deck: str | typing.Iterable[str | int] | None = None, rules: Rules | str | None = None) -> None"))
        .def_prop_ro("turn", &Hand::turn, "Turn of the cards in hand, 0 to 4.")
        .def_prop_ro(
            "player",
            [](const Hand& h) -> std::optional<int> {
                return h.finished() ? std::nullopt : std::optional<int>(h.player);
            },
            "Seat to act, None when finished.")
        .def_prop_ro("button", [](const Hand& h) { return static_cast<int>(h.button); })
        .def_prop_ro(
            "chips", [](const Hand& h) { return std::vector<int>{h.chips[0], h.chips[1]}; },
            "Chips before the hand, by seat.")
        .def_prop_ro(
            "fantasyland", [](const Hand& h) { return std::vector<int>{h.fantasyland[0], h.fantasyland[1]}; },
            "Fantasyland width by seat, 0 for normal play.")
        .def_prop_ro("rules", [](const Hand& h) { return *h.rules; })
        .def_prop_ro(
            "dealt", [](const Hand& h) { return to_list(h.in_hand); }, "Cards in the hand of the seat to act, sorted.")
        .def_prop_ro("dealt_in_order", &dealt_in_order, "The same in the order in which they were dealt.")
        .def_prop_ro(
            "opening_step", [](const Hand& h) { return static_cast<int>(h.opening_step); },
            "1 between the two steps of an opening.")
        .def_prop_ro(
            "deck", [](const Hand& h) { return std::vector<int>(h.deck.begin(), h.deck.begin() + h.deck_size()); },
            "The true order of all cards: for logs and tests, not for players.")
        .def_prop_ro("finished", &Hand::finished)
        .def_prop_ro("in_fantasyland", &Hand::sets_fantasyland,
                     "Whether the seat to act sets a fantasyland hand, by place() or set_fantasyland().")
        .def(
            "board", [](const Hand& h, nb::handle seat) { return board_object(h.boards[to_seat(seat)], h.rules); },
            "seat"_a, nb::sig("def board(self, seat: int) -> Board"))
        .def(
            "discards", [](const Hand& h, nb::handle seat) { return to_list(h.discards[to_seat(seat)]); }, "seat"_a,
            nb::sig("def discards(self, seat: int) -> list[int]"))
        .def(
            "result", [](const Hand& h) { return result_object(h.result(), h.rules); },
            "The outcome of a finished hand.", nb::sig("def result(self) -> HandResult"))
        .def("placements", &Hand::placements, "Every legal placement of this turn.")
        .def("place", &Hand::place, "placement"_a, "Play a whole turn, or a fantasyland setting.")
        .def(
            "legal_actions",
            [](const Hand& h) {
                std::vector<int> slots;
                for (int slot = 0; slot < kUsedSlots; ++slot)
                    if (h.mask()[slot]) slots.push_back(slot);
                return slots;
            },
            "Legal slots of the seat to act, ascending.")
        .def(
            "action_mask",
            [](const Hand& h) {
                auto out = new_array<std::int8_t>({kActions});
                std::memcpy(out.data(), h.mask().data(), kActions);
                return out;
            },
            "int8 (150,): 1 where a slot is legal for the seat to act.")
        .def(
            "step", [](Hand& h, nb::handle action) { h.step(to_integer(action, "a slot (give a whole number)")); },
            "action"_a, "Play one slot.", nb::sig("def step(self, action: int) -> None"))
        .def("actions_of", &Hand::slots_of, "placement"_a,
             "The slots that play a placement: one, or two for an opening.")
        .def(
            "placement_of", [](const Hand& h, const std::vector<int>& slots) { return h.placement_of(slots); },
            "actions"_a, "The placement that these slots of one turn play.")
        .def(
            "observation",
            [](const Hand& h, nb::handle seat) {
                auto out = new_array<float>({kObservation});
                write_observation(h, to_seat(seat), out.data());
                return out;
            },
            "seat"_a, "What a seat sees: float32 (490,).",
            nb::sig("def observation(self, seat: int) -> numpy.typing.NDArray[numpy.float32]"))
        .def(
            "information",
            [](const Hand& h, nb::handle seat) { return Knowledge{information_set(h, to_seat(seat)), {}}; }, "seat"_a,
            "What a seat knows.", nb::sig("def information(self, seat: int) -> InformationSet"))
        .def(
            "write_observation",
            [](const Hand& h, nb::handle seat, const nb::ndarray<>& out) {
                write_observation(h, to_seat(seat), numbers_of<float>(out, {kObservation}, "the output"));
            },
            "seat"_a, "out"_a, "observation() into a float32 (490,) array that is there already.",
            nb::sig("def write_observation(self, seat: int, out: numpy.typing.NDArray[numpy.float32]) -> None"))
        .def(
            "write_action_mask",
            [](const Hand& h, const nb::ndarray<>& out) {
                std::memcpy(numbers_of<std::int8_t>(out, {kActions}, "the output"), h.mask().data(), kActions);
            },
            "out"_a, "action_mask() into an int8 (150,) array that is there already.",
            nb::sig("def write_action_mask(self, out: numpy.typing.NDArray[numpy.int8]) -> None"))
        .def("set_fantasyland", &set_fantasyland, "Let the solver set the fantasyland hand of the seat to act.")
        .def("clone", [](const Hand& h) { return h; })
        .def(
            "determinize",
            [](const Hand& h, nb::handle seat, nb::handle seed) {
                Rng rng(to_seed(seed));
                return determinize(h, to_seat(seat), rng);
            },
            "seat"_a, "seed"_a.none(), "A copy in which all that `seat` cannot see is dealt anew.",
            nb::sig("def determinize(self, seat: int, seed: int | None) -> Hand"))
        .def(
            "renamed",
            [](const Hand& h, nb::handle cards, nb::handle names) {
                return h.renamed(to_cards(cards), to_cards(names));
            },
            "cards"_a, "names"_a,
            "A copy in which each of `cards` is the card in its place of `names`, wherever it lies: in the deck, on "
            "boards, in hand, thrown away. The names are the same cards in another order.",
            nb::sig("def renamed(self, cards: str | Iterable[str | int], names: str | Iterable[str | int]) -> Hand"))
        .def_static(
            "from_observation",
            [](nb::handle position, nb::handle seed, nb::handle rules) {
                Rng rng(to_seed(seed));
                return world_of(to_knowledge(position, rules.is_none() ? nullptr : to_rules(rules)).now, rng);
            },
            "observation"_a, "seed"_a = nb::none(), "rules"_a = nb::none(),
            "A hand that fits what a seat sees, given as an observation or an InformationSet, which has rules of its "
            "own; the observer is seat 0 in it.",
            nb::sig("def from_observation(observation: numpy.typing.NDArray[numpy.float32] | InformationSet, seed: int "
                    "| None = None, rules: Rules | str | None = None) -> Hand"))
        .def("__eq__", &equals<Hand>, nb::arg().none())
        .def("__hash__", [](const Hand& h) { return static_cast<Py_ssize_t>(h.hash() >> 2); })
        .def("__copy__", [](const Hand& h) { return h; })
        .def(
            "__deepcopy__", [](const Hand& h, nb::handle) { return h; }, "memo"_a)
        .def("__getstate__", &hand_state)
        .def("__setstate__", [](Hand& self, const HandState& state) { new (&self) Hand(hand_from_state(state)); })
        .def("__str__", &Hand::text)
        .def("__repr__", [](const Hand& h) { return "<Hand: " + h.text().substr(0, h.text().find('\n')) + ">"; });

    m.def(
        "first_free_slots",
        [](nb::handle cards, nb::handle board) { return first_free_slots(to_cards(cards), board_of(board)); },
        "cards"_a, "board"_a,
        "A legal turn that needs no player: the cards as dealt into the first free slots, the rest discarded.\n\n"
        "Args:\n    cards: of the turn in the order dealt: 5, 3, or 14 to 17 in fantasyland.\n"
        "    board: the seat's own before it.",
        nb::sig("def first_free_slots(cards: str | Iterable[str | int], board: Board) -> Placement"));
    m.def(
        "random_playouts",
        [](std::int64_t hands, nb::handle seed, nb::handle rules) {
            if (hands < 0) throw std::invalid_argument("cannot play " + std::to_string(hands) + " hands");
            const Rules* ruled = to_rules(rules);
            const std::uint64_t start = to_seed(seed);
            PlayoutTotals totals;
            {
                const Unlocked unlocked;
                totals = random_playouts(hands, start, *ruled);
            }
            nb::dict dict;
            dict["hands"] = totals.hands;
            dict["fouls"] = totals.fouls;
            dict["points_sum"] = totals.points;
            dict["royalties_sum"] = totals.royalties;
            dict["fantasyland_entries"] = totals.fantasyland_entries;
            return dict;
        },
        "count"_a, "seed"_a = 0, "rules"_a = nb::none(),
        "Play whole hands at random and sum up: fouls, royalties and entries over both seats, points of seat 0.",
        nb::sig("def random_playouts(count: int, seed: int | None = 0, rules: Rules | None = None) -> dict[str, int]"));
}

}  // namespace ofc::python
