// Classes of openings, and the table of their best placements.
#include "bindings/training.hpp"
#include "openings/table.hpp"

namespace ofc::python {

using namespace nb::literals;

namespace {

std::vector<std::string> names_of(const std::vector<int>& cards) {
    std::vector<std::string> names;
    for (const int card : cards) names.push_back(card_name(card));
    return names;
}

nb::dict ranked_fields(const RankedOpening& ranked) {
    nb::dict fields;
    for (std::size_t row = 0; row < kRows; ++row) fields[kRowNames[row]] = names_of(ranked.rows[row]);
    fields["network"] = ranked.network;
    fields["race"] = ranked.race;
    fields["error"] = ranked.error;
    return fields;
}

nb::dict opening_fields(const Opening& opening) {
    nb::dict fields;
    fields["number"] = opening.number;
    fields["cards"] = names_of(opening.cards);
    fields["deals"] = opening.deals;
    fields["raced"] = opening.raced;
    nb::list best;
    for (const RankedOpening& ranked : opening.best) best.append(ranked_fields(ranked));
    fields["best"] = best;
    return fields;
}

// A view of records that Python keeps.
struct SharedTable {
    nb::object records;
    OpeningTable table;
};

}  // namespace

void bind_openings(nb::module_& m) {
    m.attr("OPENING_ORDERS") = nb::cast(std::vector<std::string>(kOpeningOrders.begin(), kOpeningOrders.end()));
    nb::class_<Fall>(m, "OpeningFall", "One way in which the suits of five cards fall.")
        .def_ro("suits", &Fall::suits, "Of each rank in turn, highest first; of a joker none.")
        .def_ro("deals", &Fall::deals, "Openings that fall like this.")
        .def_ro("shape", &Fall::shape, "Cards of each suit, most first; jokers have none.")
        .def_ro("orders", &Fall::orders, "Of the five cards, under which they are the same five again.");
    nb::class_<OpeningClasses>(m, "OpeningClasses",
                               "Opening fives of a deck with 0, 1 or 2 jokers, up to the names of suits and jokers.")
        .def_static("of", &OpeningClasses::of, "jokers"_a, nb::rv_policy::reference,
                    "Those of a deck with 0, 1 or 2 jokers; made once.")
        .def("__len__", &OpeningClasses::size)
        .def_prop_ro("jokers", &OpeningClasses::jokers)
        .def(
            "ranks",
            [](const OpeningClasses& c, int number) {
                const Five& ranks = c.ranks(number);
                return nb::make_tuple(ranks[0], ranks[1], ranks[2], ranks[3], ranks[4]);
            },
            "number"_a, "The ranks of a class, highest first; a joker's is 13.",
            nb::sig("def ranks(self, number: int) -> tuple[int, ...]"))
        .def("fall", &OpeningClasses::fall, "number"_a, nb::rv_policy::copy, "How the suits of a class fall.")
        .def("cards", &OpeningClasses::cards, "number"_a, "The five cards that stand for a class, highest rank first.")
        .def(
            "find", [](const OpeningClasses& c, const std::vector<int>& cards) { return c.find(cards); }, "cards"_a,
            "The class of five cards, and these in the order of the class's own.")
        .def_prop_ro(
            "deals", [](const OpeningClasses& c) { return array_of(c.deals()); }, nb::rv_policy::move,
            "Of every class, how many openings are in it: int64 (classes,).")
        .def_prop_ro(
            "rank_counts",
            [](const OpeningClasses& c) {
                auto out = new_array<std::int8_t>({static_cast<std::size_t>(c.size()), kJokerRank + 1});
                std::copy(c.rank_counts().begin(), c.rank_counts().end(), out.data());
                return out;
            },
            nb::rv_policy::move, "Of every class, its cards of each rank, jokers last: int8 (classes, 14).")
        .def_prop_ro(
            "shape_of", [](const OpeningClasses& c) { return array_of(c.shape_of()); }, nb::rv_policy::move,
            "Of every class, the number of its shape: int8 (classes,).")
        .def_prop_ro("shapes", &OpeningClasses::shapes, "How suits can fall: cards of each suit, most first.");
    m.def(
        "code_of_rows",
        [](const std::vector<int>& rows, const std::vector<std::vector<int>>& orders) {
            const auto fits = [](const std::vector<int>& numbers, int below) {
                return numbers.size() == kFive &&
                       std::all_of(numbers.begin(), numbers.end(), [&](int n) { return n >= 0 && n < below; });
            };
            if (!fits(rows, kRows) || orders.empty() ||
                !std::all_of(orders.begin(), orders.end(), [&](const auto& order) { return fits(order, kFive); }))
                throw std::invalid_argument(
                    "a placement of five cards has a row of 0 to 2 for each, and its orders "
                    "their places 0 to 4");
            return code_of_rows(rows, orders);
        },
        "rows"_a, "orders"_a,
        "The rows of five cards as a number, the same for placements that differ by suits alone.");
    m.def(
        "rows_of_code",
        [](int code) {
            const auto rows = rows_of_code(code);
            return std::vector<int>(rows.begin(), rows.end());
        },
        "code"_a, "The rows of five cards from their number.");
    m.def(
        "opening_pattern",
        [](nb::handle text) {
            const OpeningPattern pattern = OpeningPattern::parse(utf8_of(text, "cards or ranks (give text)"));
            return std::pair(pattern.names_cards, pattern.names_cards ? pattern.cards : pattern.ranks);
        },
        "text"_a, "What somebody types: whether it names cards, and these, or the ranks, highest first.",
        nb::sig("def opening_pattern(text: str) -> tuple[bool, list[int]]"));
    nb::class_<SharedTable>(m, "OpeningTable", "A view of a table's records: the openings of a pattern.")
        .def(
            "__init__",
            [](SharedTable* self, int jokers, const nb::ndarray<nb::ro>& records) {
                const std::size_t classes = records.ndim() ? records.shape(0) : 0;
                const auto* bytes = numbers_of<std::uint8_t>(records, {classes, kOpeningRecord}, "records");
                new (self) SharedTable{nb::cast(records),
                                       OpeningTable(OpeningClasses::of(jokers), {bytes, classes * kOpeningRecord})};
            },
            "jokers"_a, "records"_a, "Records uint8 (classes, 18), which are not copied.",
            nb::sig("def __init__(self, jokers: int, records: numpy.typing.NDArray[numpy.uint8]) -> None"))
        .def(
            "opening",
            [](const SharedTable& t, int number, const std::vector<int>& cards) {
                if (!cards.empty() && t.table.classes().find(cards).first != number)
                    throw std::invalid_argument("these are not cards of the opening " + std::to_string(number));
                return opening_fields(t.table.opening(number, cards));
            },
            "number"_a, "cards"_a = std::vector<int>{},
            "A class by its own cards, or by others of it in its order: fields of agents.openings.Opening.",
            nb::sig("def opening(self, number: int, cards: typing.Sequence[int] = ()) -> dict[str, typing.Any]"))
        .def(
            "find",
            [](const SharedTable& t, nb::handle text, const std::string& shape, const std::string& order, int first,
               int count) {
                const FoundOpenings found =
                    t.table.find(utf8_of(text, "cards or ranks (give text)"), shape, order, first, count);
                nb::dict fields;
                fields["total"] = found.total;
                fields["share"] = found.share;
                fields["mean"] = found.mean;
                nb::list page;
                for (const Opening& opening : found.page) page.append(opening_fields(opening));
                fields["openings"] = page;
                return fields;
            },
            "text"_a, "shape"_a, "order"_a, "first"_a, "count"_a,
            "A page of the openings of a pattern: fields of agents.openings.Found.",
            nb::sig("def find(self, text: str, shape: str, order: str, first: int, count: int) -> dict[str, "
                    "typing.Any]"));
}

}  // namespace ofc::python
