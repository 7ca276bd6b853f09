// Listed fields (game/fields.hpp) as keyword arguments, properties, signatures and descriptions in Python.
#pragma once

#include <deque>

#include "bindings/bindings.hpp"
#include "game/fields.hpp"

namespace ofc::python {

// Text that lives as long as the module: nanobind keeps pointers to signatures.
inline const char* kept(std::string text) {
    static std::deque<std::string> texts;
    return texts.emplace_back(std::move(text)).c_str();
}

template <class T>
nb::object field_value(const Field& field, const T& value) {
    if constexpr (std::is_enum_v<T>)
        return nb::str(field.choices[static_cast<std::size_t>(value)]);
    else if constexpr (fields::is_list<T>)
        return nb::cast(std::vector<typename T::value_type>(value.begin(), value.end()));
    else
        return nb::cast(value);
}

// What a field is called in a signature: int, float, bool, str, or a sequence.
template <class T>
std::string field_type() {
    if constexpr (fields::is_list<T>) return "typing.Sequence[" + field_type<typename T::value_type>() + "]";
    if constexpr (std::is_enum_v<T>) return "str";
    if constexpr (std::is_same_v<T, bool>) return "bool";
    return std::is_integral_v<T> ? "int" : "float";
}

// A Python value as a field's; a TypeError says what was wanted, a ValueError which choices there are.
template <class T>
T field_from(const char* owner, const Field& field, nb::handle value) {
    const auto refusal = [&] { return "not " + fields::wanted<T>(field) + " for the " + owner + ": " + shown(value); };
    if constexpr (std::is_enum_v<T>) {
        T found{};
        if (!nb::isinstance<nb::str>(value)) throw nb::type_error(refusal().c_str());
        const auto word = nb::cast<std::string>(value);
        if (!fields::read_value(field, word, found))
            throw std::invalid_argument(std::string(owner) + ": unknown " + field.name + " '" + word + "': choose " +
                                        fields::wanted<T>(field));
        return found;
    } else if constexpr (fields::is_list<T>) {
        T list{};
        if (!PySequence_Check(value.ptr()) || nb::isinstance<nb::str>(value) || nb::len(value) != list.size())
            throw nb::type_error(refusal().c_str());
        for (std::size_t i = 0; i < list.size(); ++i)
            list[i] = field_from<typename T::value_type>(owner, field, nb::object(value[i]));
        return list;
    } else if constexpr (std::is_same_v<T, bool>) {
        if (!nb::isinstance<nb::bool_>(value)) {
            // numpy's own truth values count too.
            if (std::string_view(Py_TYPE(value.ptr())->tp_name) != "numpy.bool")
                throw nb::type_error(refusal().c_str());
        }
        return PyObject_IsTrue(value.ptr()) == 1;
    } else if constexpr (std::is_integral_v<T>) {
        if (nb::isinstance<nb::bool_>(value) || !PyIndex_Check(value.ptr())) throw nb::type_error(refusal().c_str());
        const Py_ssize_t number = PyNumber_AsSsize_t(value.ptr(), nullptr);  // clipped to what a Py_ssize_t holds
        if (number == -1 && PyErr_Occurred()) throw nb::python_error();
        if (number < std::numeric_limits<T>::min() || number > std::numeric_limits<T>::max())
            throw std::invalid_argument(std::string(owner) + ": " + field.name + " is " + shown(value) + ", outside " +
                                        fields::to_text(field.low) + " to " + fields::to_text(field.high));
        return static_cast<T>(number);
    } else {
        if (nb::isinstance<nb::bool_>(value) || nb::isinstance<nb::str>(value) || !PyNumber_Check(value.ptr()))
            throw nb::type_error(refusal().c_str());
        const double number = PyFloat_AsDouble(value.ptr());
        if (number == -1.0 && PyErr_Occurred()) {
            PyErr_Clear();
            throw nb::type_error(refusal().c_str());
        }
        return static_cast<T>(number);
    }
}

// `settings` with the fields that `keywords` name; a field that does not exist and a number outside its bounds are
// refused with a sentence.
template <class S>
S with_fields(const char* owner, S settings, const nb::kwargs& keywords) {
    for (const auto [key, value] : keywords) {
        const auto name = nb::cast<std::string>(key);
        bool known = false;
        S::for_each_field(settings, [&](const Field& field, auto& place) {
            if (name != field.name) return;
            known = true;
            place = field_from<std::remove_cvref_t<decltype(place)>>(owner, field, value);
        });
        if (!known)
            throw std::invalid_argument(std::string(owner) + " has no field '" + name + "': its fields are " +
                                        fields::names<S>());
    }
    fields::verify(owner, settings);
    return settings;
}

// "chips: int = 200, stop_gap: int = 40"
template <class S>
std::string field_arguments() {
    std::string text;
    fields::for_each_default<S>([&](const Field& field, const auto& value) {
        using T = std::remove_cvref_t<decltype(value)>;
        std::string shown_default =
            fields::is_list<T> ? "..." : nb::cast<std::string>(nb::repr(field_value(field, value)));
        text += (text.empty() ? "" : ", ") + std::string(field.name) + ": " + field_type<T>() + " = " + shown_default;
    });
    return text;
}

// Descriptions of all fields: ofc_env.results.Setting, in order.
template <class S>
nb::list field_list() {
    const nb::object type = nb::module_::import_("ofc_env.results").attr("Setting");
    nb::list list;
    fields::for_each_default<S>([&](const Field& field, const auto& value) {
        using T = std::remove_cvref_t<decltype(value)>;
        constexpr bool bounded = !std::is_enum_v<T> && !std::is_same_v<T, bool>;
        nb::list choices;
        for (const char* choice : field.choices) choices.append(choice);
        list.append(type(field.name, field_type<T>(), field_value(field, value),
                         bounded ? nb::cast(field.low) : nb::none(), bounded ? nb::cast(field.high) : nb::none(),
                         bounded && field.also == field.also ? nb::cast(field.also) : nb::none(), nb::tuple(choices),
                         field.help));
    });
    return list;
}

// fields() on a class: what it can be made with.
template <class S, class Class>
void def_field_list(Class& owner) {
    owner.def_static("fields", &field_list<S>,
                     "Its settings: name, type, default, bounds, choices and meaning of each.",
                     nb::sig("def fields() -> list[ofc_env.results.Setting]"));
}

// A read-only property for each field, replace(), the text form, and all that values have.
template <class S, class Class>
void def_fields(Class& owner, const char* name, const char* words) {
    fields::for_each_default<S>([&](const Field& field, const auto& value) {
        using T = std::remove_cvref_t<decltype(value)>;
        owner.def_prop_ro(
            field.name,
            [wanted = std::string(field.name)](const S& settings) {
                nb::object found;
                S::for_each_field(settings, [&](const Field& each, const auto& number) {
                    if (wanted == each.name) found = field_value(each, number);
                });
                return found;
            },
            field.help,
            nb::sig(kept("def " + std::string(field.name) + "(self) -> " +
                         (fields::is_list<T> ? "list" + field_type<T>().substr(15) : field_type<T>()))));
    });
    def_field_list<S>(owner);
    owner
        .def(
            "replace",
            [words](const S& settings, const nb::kwargs& changes) { return with_fields(words, settings, changes); },
            nb::arg("changes"), "A copy with some fields changed.",
            nb::sig(kept("def replace(self, **changes: typing.Any) -> " + std::string(name))))
        .def("__str__", &S::text)
        .def("__repr__", [name](const S& s) { return std::string(name) + ".parse('" + s.text() + "')"; })
        .def("__eq__", &equals<S>, nb::arg().none())
        .def("__hash__", [](const S& s) { return nb::hash(nb::cast(s.text())); })
        .def("__getstate__", &S::text)
        .def("__setstate__", [](S& self, const std::string& text) { new (&self) S(S::parse(text)); });
}

}  // namespace ofc::python
