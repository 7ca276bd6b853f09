// Candidates.
#include "bindings/candidate.hpp"
#include "bindings/fields.hpp"

namespace ofc::python {

using namespace nb::literals;

nb::list candidate_list(const InformationSet& info, const std::vector<Candidate>& candidates) {
    nb::list list;
    for (const Candidate& candidate : candidates)
        list.append(nb::cast(NamedCandidate{candidate, info.slots_of(candidate.placement)}));
    return list;
}

namespace {

Slots to_slots(const std::vector<int>& actions) {
    Slots slots;
    if (actions.size() > 2) throw std::invalid_argument("a placement has at most two slots");
    for (const int slot : actions) {
        if (slot < 0 || slot >= kUsedSlots)
            throw std::invalid_argument("action " + std::to_string(slot) + " is outside 0 to 90");
        slots.add(slot);
    }
    return slots;
}

std::string text_of(const NamedCandidate& named) {
    std::string text = named.candidate.text() + " actions=";
    for (int i = 0; i < named.slots.count; ++i)
        text += (i ? "," : "") + std::to_string(named.slots.at[static_cast<std::size_t>(i)]);
    return text;
}

NamedCandidate parse(std::string_view text) {
    const auto at = text.rfind(" actions=");
    std::vector<int> actions;
    if (at != std::string_view::npos) {
        const std::string list(text.substr(at + 9));
        const char *begin = list.data(), *const last = begin + list.size();
        while (begin != last) {
            int slot = -1;
            const auto [end, error] = std::from_chars(begin, last, slot);
            if (error != std::errc{} || (end != last && (*end != ',' || end + 1 == last)))
                throw std::invalid_argument("candidate: cannot read the actions '" + list +
                                            "'; write them as 3 or 3,40");
            actions.push_back(slot);
            begin = end == last ? last : end + 1;
        }
    }
    return {Candidate::parse(text.substr(0, at)), to_slots(actions)};
}

}  // namespace

void bind_candidate(nb::module_& m) {
    auto owner = nb::class_<NamedCandidate>(m, "Candidate",
                                            "A placement of a whole turn and what a player expects of it; NaN where it "
                                            "does not know. Chances and royalties "
                                            "are those of its own board at the end of the hand.");
    owner.def(
        "__init__",
        [](NamedCandidate* self, const Placement& placement, const std::vector<int>& actions,
           const nb::kwargs& numbers) {
            Candidate candidate = Candidate::unknown(placement);
            for (const auto [key, value] : numbers) {
                bool known = false;
                Candidate::for_each_field(candidate, [&](const Field& field, auto& place) {
                    if (nb::cast<std::string>(key) != field.name) return;
                    known = true;
                    place = field_from<std::remove_cvref_t<decltype(place)>>("candidate", field, value);
                });
                if (!known)
                    throw std::invalid_argument("a candidate has no field '" + nb::cast<std::string>(key) +
                                                "': its fields are " + fields::names<Candidate>());
            }
            new (self) NamedCandidate{candidate, to_slots(actions)};
        },
        "placement"_a, "actions"_a = std::vector<int>{}, "numbers"_a,
        nb::sig(
            "def __init__(self, placement: Placement, actions: typing.Sequence[int] = (), *, mean: float = ..., "
            "error: float = ..., rollouts: int = 0, foul: float = ..., fantasyland: float = ..., royalties: float = "
            "..., prior: float = ...) -> None"));
    owner.def_prop_ro("placement", [](const NamedCandidate& n) { return n.candidate.placement; })
        .def_prop_ro(
            "actions", [](const NamedCandidate& n) { return slots_tuple(n.slots); },
            "The slots that play it: one, or two for an opening.", nb::sig("def actions(self) -> tuple[int, ...]"));
    fields::for_each_default<Candidate>([&](const Field& field, const auto& value) {
        using T = std::remove_cvref_t<decltype(value)>;
        owner.def_prop_ro(
            field.name,
            [wanted = std::string(field.name)](const NamedCandidate& n) {
                nb::object found;
                Candidate::for_each_field(n.candidate, [&](const Field& each, const auto& number) {
                    if (wanted == each.name) found = field_value(each, number);
                });
                return found;
            },
            field.help, nb::sig(kept("def " + std::string(field.name) + "(self) -> " + field_type<T>())));
    });
    owner.def_static("parse", &parse, "text"_a, "The candidate that str() wrote.")
        .def("__str__", &text_of)
        .def("__repr__", [](const NamedCandidate& n) { return "Candidate.parse('" + text_of(n) + "')"; })
        .def(
            "__eq__",
            [](const NamedCandidate& a, nb::handle b) {  // by text: what is not known equals what is not known
                return nb::isinstance<NamedCandidate>(b) && text_of(a) == text_of(nb::cast<const NamedCandidate&>(b));
            },
            nb::arg().none())
        .def("__hash__", [](const NamedCandidate& n) { return nb::hash(nb::cast(text_of(n))); })
        .def("__getstate__", &text_of)
        .def("__setstate__",
             [](NamedCandidate& self, const std::string& text) { new (&self) NamedCandidate(parse(text)); });
}

}  // namespace ofc::python
