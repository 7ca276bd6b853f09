// Cards and row values.
#include <cstdlib>
#include <random>

#include "bindings/training.hpp"
#include "game/rows.hpp"

namespace ofc::python {

using namespace nb::literals;

std::string utf8_of(nb::handle text, const char* what) {
    const auto refusal = [&] { return std::string("not ") + what + ": " + shown(text); };
    if (!nb::isinstance<nb::str>(text)) throw nb::type_error(refusal().c_str());
    Py_ssize_t size = 0;
    const char* characters = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (characters) return {characters, static_cast<std::size_t>(size)};
    PyErr_Clear();
    throw std::invalid_argument(refusal());
}

static std::string card_text(nb::handle text) {
    return utf8_of(text, "cards (give \"Ah Kd X1\", or names or numbers)");
}

std::vector<int> to_cards(nb::handle cards) {
    if (nb::isinstance<nb::str>(cards)) return parse_cards(card_text(cards));
    if (!PyObject_HasAttrString(cards.ptr(), "__iter__"))
        throw nb::type_error(("not cards (give \"Ah Kd X1\", or names or numbers): " + shown(cards)).c_str());
    std::vector<int> list;
    for (const nb::handle item : nb::iter(cards)) {
        if (nb::isinstance<nb::str>(item)) {
            list.push_back(parse_card(card_text(item)));
            continue;
        }
        list.push_back(to_integer(item, "a card (give a name or a number)"));
        card_name(list.back());  // throws on a number that is no card
    }
    return list;
}

int to_integer(nb::handle number, const char* what) {
    const auto refusal = [&] { return std::string("not ") + what + ": " + shown(number); };
    if (!PyIndex_Check(number.ptr())) throw nb::type_error(refusal().c_str());
    const Py_ssize_t value = PyNumber_AsSsize_t(number.ptr(), nullptr);
    if (value == -1 && PyErr_Occurred()) throw nb::python_error();
    if (value < -1000000 || value > 1000000) throw std::invalid_argument(refusal());
    return static_cast<int>(value);
}

std::array<int, 2> to_pair(nb::handle pair, const char* what) {
    const auto refusal = [&] { return std::string("not a pair of ") + what + ", one number a seat: " + shown(pair); };
    if (!PySequence_Check(pair.ptr())) throw nb::type_error(refusal().c_str());
    if (nb::len(pair) != 2) throw std::invalid_argument(refusal());
    return {to_integer(pair[0], what), to_integer(pair[1], what)};
}

std::string array_text(nb::dlpack::dtype type, const std::vector<std::size_t>& shape) {
    using Code = nb::dlpack::dtype_code;
    const auto code = static_cast<Code>(type.code);
    std::string text = "another type of ";
    if (code == Code::Bool) text = "bool";
    if (code == Code::Int) text = "int";
    if (code == Code::UInt) text = "uint";
    if (code == Code::Float) text = "float";
    if (code != Code::Bool) text += std::to_string(type.bits);
    text += " of shape (";
    for (std::size_t i = 0; i < shape.size(); ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
    return text + (shape.size() == 1 ? ",)" : ")");
}

std::uint64_t to_seed(nb::handle seed) {
    if (seed.is_none()) {
        std::random_device device;
        return (static_cast<std::uint64_t>(device()) << 32) | device();
    }
    if (!PyIndex_Check(seed.ptr()))
        throw nb::type_error(("not a seed (give a whole number or None): " + shown(seed)).c_str());
    const nb::object number = nb::steal(PyNumber_Index(seed.ptr()));
    if (!number.is_valid()) throw nb::python_error();
    const unsigned long long value = PyLong_AsUnsignedLongLongMask(number.ptr());
    if (value == ~0ull && PyErr_Occurred()) throw nb::python_error();
    return value;
}

int to_seat(nb::handle seat) {
    const int number = to_integer(seat, "a seat (give 0 or 1)");
    if (number != 0 && number != 1) throw std::invalid_argument("a seat is 0 or 1, not " + std::to_string(number));
    return number;
}

namespace {

CardSet row_set(nb::handle cards) {
    const CardSet row = to_card_set(cards, "row");
    if (count(row) != 3 && count(row) != 5)
        throw std::invalid_argument("a row has 3 or 5 cards, not " + std::to_string(count(row)));
    return row;
}

nb::ndarray<nb::numpy, std::uint32_t> row_values_batch(const nb::ndarray<nb::ro>& cards) {
    if (cards.ndim() != 2 || (cards.shape(1) != 3 && cards.shape(1) != 5))
        throw std::invalid_argument("cards should have shape (N, 3) or (N, 5), not be " + array_text(cards));
    const std::size_t n = cards.shape(0), size = cards.shape(1);
    const std::uint8_t* data = numbers_of<std::uint8_t>(cards, {n, size}, "cards");
    auto values = new_array<std::uint32_t>({n});
    for (std::size_t i = 0; i < n; ++i) {
        CardSet row = 0;
        for (std::size_t j = 0; j < size; ++j) row |= data[i * size + j] < kCards ? bit(data[i * size + j]) : 0;
        if (count(row) != static_cast<int>(size))
            throw std::invalid_argument("row " + std::to_string(i) + " does not hold " + std::to_string(size) +
                                        " different cards");
        values.data()[i] = size == 5 ? read_five(row) : read_top(row);
    }
    return values;
}

}  // namespace

void bind_cards(nb::module_& m) {
    m.def("parse_cards", &to_cards, "cards"_a, "Card numbers of \"Ah Kd X1\" or of an iterable of names and numbers.",
          nb::sig("def parse_cards(cards: str | typing.Iterable[str | int]) -> list[int]"));
    m.def("card_name", &card_name, "card"_a, "Name of a card number 0 to 53, like \"Ah\".");
    m.def(
        "card_names",
        [](nb::handle cards) {
            std::vector<std::string> list;
            for (const int card : to_cards(cards)) list.push_back(card_name(card));
            return list;
        },
        "cards"_a, "Names of several cards.",
        nb::sig("def card_names(cards: str | typing.Iterable[str | int]) -> list[str]"));

    m.def(
        "row_value",
        [](nb::handle cards, std::optional<RowValue> limit) -> std::optional<RowValue> {
            const CardSet row = row_set(cards);
            const RowValue value =
                count(row) == 5 ? read_five(row, limit.value_or(kNoLimit)) : read_top(row, limit.value_or(kNoLimit));
            return value == kNoReading ? std::nullopt : std::optional(value);
        },
        "cards"_a, "limit"_a = nb::none(),
        "Best reading of 3 or 5 cards not above `limit`, as one comparable number; None if there is none.",
        nb::sig("def row_value(cards: str | typing.Iterable[str | int], limit: int | None = None) -> int | None"));
    m.def(
        "row_readings",
        [](nb::handle cards) -> std::vector<RowValue> {
            const CardSet row = row_set(cards);
            if (!(row & kJokerSet)) return {count(row) == 5 ? read_five(row) : read_top(row)};
            const auto values = joker_readings(row);
            return {values.begin(), values.end()};
        },
        "cards"_a, "Every distinct value a row can be read as, ascending.",
        nb::sig("def row_readings(cards: str | typing.Iterable[str | int]) -> list[int]"));
    m.def("row_values_batch", &row_values_batch, "cards"_a,
          "Best values of many rows: uint8 (N, 3) or (N, 5) -> uint32 (N,).");
    m.def("row_value_name", &value_name, "value"_a, "A row value in words, like \"full house, kings over deuces\".");
    m.def("table_bytes", [] { return kTables.bytes(); }, "Size of the evaluator's lookup tables in bytes.");
}

}  // namespace ofc::python
