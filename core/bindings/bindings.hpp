// What the binding files share: conversions at the border between Python and the core.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <algorithm>

#include "env/observation.hpp"
#include "game/cards.hpp"
#include "game/information.hpp"
#include "game/reward.hpp"

namespace nb = nanobind;

namespace ofc::python {

// A value on one short line, for a refusal.
std::string shown(nb::handle value);

// Cards as "Ah Kd X1", or any iterable of names and numbers.
std::vector<int> to_cards(nb::handle cards);
inline CardSet to_card_set(nb::handle cards, std::string_view what) { return to_set(to_cards(cards), what); }

// A Python object as a C++ value, or a TypeError that says what was wanted.
template <class T>
T cast_or_refuse(nb::handle object, const char* what) {
    try {
        return nb::cast<T>(object);
    } catch (const nb::cast_error&) {
        throw nb::type_error((std::string("not ") + what + ": " + shown(object)).c_str());
    }
}

// A whole number of at most a million: nothing here counts as far.
int to_integer(nb::handle number, const char* what);
std::array<int, 2> to_pair(nb::handle pair, const char* what);
// __eq__ of values: an object of another type is not equal, and no error.
template <class T>
bool equals(const T& a, nb::handle b) {
    return nb::isinstance<T>(b) && a == nb::cast<const T&>(b);
}

// A seed from a Python integer of any size; None draws one from the system.
std::uint64_t to_seed(nb::handle seed);
int to_seat(nb::handle seat);
// RewardConfig from one, from the name of a preset, or None for `otherwise`.
RewardConfig to_reward(nb::handle reward, std::string_view otherwise, const Rules& rules = *default_rules());
// Interned rules from Rules, their text form, or None for the default.
const Rules* to_rules(nb::handle rules);

// A new numpy array that owns its numbers.
template <class T>
nb::ndarray<nb::numpy, T> new_array(std::initializer_list<std::size_t> shape) {
    std::size_t size = 1;
    for (const std::size_t n : shape) size *= n;
    T* data = new T[size]();
    return nb::ndarray<nb::numpy, T>(data, shape.size(), shape.begin(),
                                     nb::capsule(data, [](void* p) noexcept { delete[] static_cast<T*>(p); }));
}

template <class T>
nb::ndarray<nb::numpy, T> array_of(const std::vector<T>& numbers) {
    auto out = new_array<T>({numbers.size()});
    std::copy(numbers.begin(), numbers.end(), out.data());
    return out;
}
// The same from a column that numpy takes over as it is.
template <class Number, class T>
nb::ndarray<nb::numpy, Number> taken(std::vector<T>&& column, std::initializer_list<std::size_t> shape) {
    auto* kept = new std::vector<T>(std::move(column));
    const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::ndarray<nb::numpy, Number>(kept->data(), shape.size(), shape.begin(), owner);
}

// "float32 of shape (2, 490)".
std::string array_text(nb::dlpack::dtype type, const std::vector<std::size_t>& shape);
template <class Array>
std::string array_text(const Array& array) {
    std::vector<std::size_t> shape;
    for (std::size_t i = 0; i < array.ndim(); ++i) shape.push_back(array.shape(i));
    return array_text(array.dtype(), shape);
}

// The numbers of a C-contiguous array of exactly this type and shape; throws a sentence otherwise.
template <class T, class Array>
auto* numbers_of(const Array& array, std::initializer_list<std::size_t> shape, const char* what) {
    bool fits = array.ndim() == shape.size() && array.dtype() == nb::dtype<T>() &&
                array.device_type() == nb::device::cpu::value;
    std::int64_t stride = 1;
    for (std::size_t i = array.ndim(); fits && i-- > 0;) {
        fits = array.shape(i) == shape.begin()[i] && (array.shape(i) == 1 || array.stride(i) == stride);
        stride *= static_cast<std::int64_t>(array.shape(i));
    }
    if (!fits)
        throw std::invalid_argument(std::string(what) + " should be a C-contiguous array of " +
                                    array_text(nb::dtype<T>(), shape) + ", not of " + array_text(array));
    if constexpr (std::is_const_v<std::remove_pointer_t<decltype(array.data())>>)
        return static_cast<const T*>(array.data());
    else
        return static_cast<T*>(array.data());
}

// All of a hand in plain values, as pickles and saved sessions hold it.
using HandState =
    std::tuple<std::string, std::vector<int>, std::array<std::array<CardSet, 3>, 2>, std::array<CardSet, 2>, CardSet,
               std::array<int, 2>, std::array<int, 2>, int, int, int, int>;
HandState hand_state(const Hand& hand);
Hand hand_from_state(const HandState& state);

// What a seat knows, from an InformationSet, or from an observation by these rules; of a seat that has a turn's cards
// to place. An InformationSet of another game than that of the rules is refused; with none they are its own.
Knowledge to_knowledge(nb::handle position, const Rules* rules);
Knowledge to_decision(nb::handle position, const Rules* rules);
// A list of InformationSets, or observations (N, 490); of seats that have cards to place.
std::vector<InformationSet> to_decisions(nb::handle positions, const Rules* rules);
nb::tuple slots_tuple(const Slots& slots);

nb::object board_object(const Board& board, const Rules* rules);
nb::object result_object(const HandResult& result, const Rules* rules);
Board board_of(nb::handle board);
HandResult result_of(nb::handle result);
const Rules& rules_of_result(nb::handle result);

void bind_cards(nb::module_& module);
void bind_rules(nb::module_& module);
void bind_information(nb::module_& module);
void bind_board(nb::module_& module);
void bind_outlook(nb::module_& module);
void bind_reward(nb::module_& module);
void bind_hand(nb::module_& module);
void bind_session(nb::module_& module);
void bind_batch(nb::module_& module);
void bind_seat_rollout(nb::module_& module);
void bind_solvers(nb::module_& module);
void bind_candidate(nb::module_& module);
void bind_heuristic(nb::module_& module);
void bind_belief(nb::module_& module);
void bind_searches(nb::module_& module);
void bind_inputs(nb::module_& module);
void bind_network(nb::module_& module);
void bind_network_search(nb::module_& module);
void bind_self_play(nb::module_& module);
void bind_luck(nb::module_& module);
void bind_referee(nb::module_& module);
void bind_judge(nb::module_& module);
void bind_reviews(nb::module_& module);
// To be called last: words every refusal of arguments as one sentence.
void word_refusals(nb::module_& module);

}  // namespace ofc::python
