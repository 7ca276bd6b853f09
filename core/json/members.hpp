// Plain structs as JSON, both ways: each lists its members once.
//
//     template <class Self, class Visit>
//     static void for_each_member(Self& self, Visit&& visit) {
//         visit("value", self.value);
//     }
//
// A member is a number, a switch, a text, such a struct, or an optional, list or array of them.
#pragma once

#include <array>
#include <vector>

#include "json/reader.hpp"
#include "json/writer.hpp"

namespace ofc {

namespace members {

template <class T>
concept Listed = requires(T& it) { T::for_each_member(it, [](const char*, auto&) {}); };

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;
template <class T>
inline constexpr bool is_array = false;
template <class T, std::size_t n>
inline constexpr bool is_array<std::array<T, n>> = true;

}  // namespace members

template <class T>
void write_json(Json& json, const T& it) {
    if constexpr (members::Listed<const T>) {
        json.object([&] {
            T::for_each_member(it, [&](const char* name, const auto& member) { write_json(json[name], member); });
        });
    } else if constexpr (members::is_optional<T>) {
        if (it)
            write_json(json, *it);
        else
            json.value(nullptr);
    } else if constexpr (members::is_vector<T> || members::is_array<T>) {
        json.list([&] {
            for (const auto& each : it) write_json(json, each);
        });
    } else {
        json.value(it);
    }
}

template <class T>
std::string json_text(const T& it) {
    Json json;
    write_json(json, it);
    return std::move(json.text);
}

template <class T>
void read_json(JsonReader& json, T& out) {
    if constexpr (members::Listed<T>) {
        std::vector<std::string_view> missing;
        T::for_each_member(out, [&](const char* name, auto&) { missing.push_back(name); });
        json.object([&](const std::string& name) {
            if (!std::erase(missing, name)) return json.skip();
            T::for_each_member(out, [&](const char* member_name, auto& member) {
                if (name == member_name) read_json(json, member);
            });
        });
        if (!missing.empty()) json.refuse("'" + std::string(missing.front()) + "' is missing");
    } else if constexpr (members::is_optional<T>) {
        if (json.null())
            out.reset();
        else
            read_json(json, out.emplace());
    } else if constexpr (members::is_vector<T>) {
        out.clear();
        json.list([&] { read_json(json, out.emplace_back()); });
    } else if constexpr (members::is_array<T>) {
        std::size_t at = 0;
        json.list([&] {
            if (at == out.size()) json.refuse("a list is longer than " + std::to_string(out.size()));
            read_json(json, out[at++]);
        });
        if (at < out.size()) json.refuse("a list is shorter than " + std::to_string(out.size()));
    } else {
        json.value(out);
    }
}

// Throws a sentence where the text is not such a value; `what` names it.
template <class T>
T parse_json(std::string_view text, const char* what) {
    JsonReader json(text, what);
    T out{};
    read_json(json, out);
    json.end();
    return out;
}

}  // namespace ofc
