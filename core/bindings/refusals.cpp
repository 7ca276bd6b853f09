// One sentence for a call with arguments of the wrong types, instead of nanobind's paragraph.
//
// nanobind raises that error itself, before any code of ours runs. Every function of the module is therefore called
// through one that looks at the error, by way of Python's vectorcall protocol; a call that succeeds pays a branch.
#include <array>
#include <utility>

#include "bindings/bindings.hpp"

namespace ofc::python {

std::string shown(nb::handle value) {
    return nb::cast<std::string>(nb::module_::import_("ofc_env.refusals").attr("shown")(value));
}

namespace {

constexpr std::size_t kMostRoutines = 12;
std::array<vectorcallfunc, kMostRoutines> routines{};  // of nanobind, one for each kind of function; set once

vectorcallfunc& routine_of(nb::handle function) {
    const Py_ssize_t offset = Py_TYPE(function.ptr())->tp_vectorcall_offset;
    return *reinterpret_cast<vectorcallfunc*>(reinterpret_cast<char*>(function.ptr()) + offset);
}

bool is_function(nb::handle object, const char* kind) {
    return std::string_view(Py_TYPE(object.ptr())->tp_name) == kind;
}

constexpr const char *kFunction = "nanobind.nb_func", *kMethod = "nanobind.nb_method";

// Replaces the TypeError that is set, if nanobind raised it over the arguments.
void word_refusal(nb::handle function, PyObject* const* arguments, std::size_t count, PyObject* keywords) noexcept {
    nb::python_error raised;
    try {
        const std::string name = nb::cast<std::string>(function.attr("__name__"));
        const std::string text = nb::cast<std::string>(nb::str(raised.value()));
        if (!text.starts_with(name + "(): incompatible function arguments.")) return raised.restore();
        nb::list positional;
        nb::dict named;
        std::size_t first = 0;
        if (is_function(function, kMethod) && count) {  // not self: in a constructor it is no object yet
            const nb::object found = nb::getattr(nb::handle(arguments[0]).type(), name.c_str(), nb::none());
            first = found.is(function) ? 1 : 0;
        }
        for (std::size_t i = first; i < count; ++i) positional.append(nb::handle(arguments[i]));
        if (keywords)
            for (std::size_t i = 0; i < nb::len(nb::handle(keywords)); ++i)
                named[nb::handle(keywords)[i]] = nb::handle(arguments[count + i]);
        const nb::object sentence =
            nb::module_::import_("ofc_env.refusals").attr("wrong_arguments")(function, positional, named);
        PyErr_SetObject(PyExc_TypeError, sentence.ptr());
    } catch (...) { raised.restore(); }
}

template <std::size_t routine>
PyObject* call(PyObject* function, PyObject* const* arguments, std::size_t flagged_count, PyObject* keywords) {
    PyObject* result = routines[routine](function, arguments, flagged_count, keywords);
    if (!result && PyErr_ExceptionMatches(PyExc_TypeError)) [[unlikely]]
        word_refusal(function, arguments, flagged_count & 0xffff, keywords);  // the high bits are flags
    return result;
}

template <std::size_t... routine>
constexpr std::array<vectorcallfunc, sizeof...(routine)> make_calls(std::index_sequence<routine...>) {
    return {&call<routine>...};
}

void redirect(nb::handle function) {
    static constexpr auto calls = make_calls(std::make_index_sequence<kMostRoutines>());
    vectorcallfunc& routine = routine_of(function);
    for (std::size_t i = 0; i < kMostRoutines; ++i) {
        if (!routines[i]) routines[i] = routine;
        if (routines[i] == routine) {
            routine = calls[i];
            return;
        }
    }
}

}  // namespace

void word_refusals(nb::module_& module) {
    const auto members = [](nb::handle scope) { return nb::list(scope.attr("__dict__").attr("values")()); };
    const auto redirect_all = [&](nb::handle scope) {
        for (const nb::handle member : members(scope))
            if (is_function(member, kFunction) || is_function(member, kMethod)) redirect(member);
    };
    redirect_all(module);
    for (const nb::handle member : members(module))
        if (nb::isinstance<nb::type_object>(member)) redirect_all(member);
}

}  // namespace ofc::python
