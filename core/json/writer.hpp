// JSON text, written piece by piece.
#pragma once

#include <charconv>
#include <cmath>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>

namespace ofc {

class Json {
public:
    std::string text;

    // An object or a list around what `fill` writes.
    template <class Fill>
    Json& object(Fill&& fill) {
        return enclosed('{', '}', fill);
    }
    template <class Fill>
    Json& list(Fill&& fill) {
        return enclosed('[', ']', fill);
    }
    // The name of what is written next, in an object.
    Json& operator[](std::string_view name) {
        string(name);
        text += ':';
        fresh_ = true;
        return *this;
    }
    template <class T>
    Json& field(std::string_view name, const T& it) {
        return (*this)[name].value(it);
    }

    Json& value(bool it) { return word(it ? "true" : "false"); }
    Json& value(std::string_view it) { return string(it); }
    Json& value(const std::string& it) { return string(it); }
    Json& value(const char* it) { return string(it); }
    Json& value(std::nullptr_t) { return word("null"); }
    template <std::integral T>
    Json& value(T it) {
        return word(std::to_string(it));
    }
    // Null where it is not known.
    Json& value(double it) {
        if (!std::isfinite(it)) return word("null");
        char buffer[32];
        return word({buffer, std::to_chars(buffer, buffer + sizeof(buffer), it).ptr});
    }
    template <class T>
    Json& value(const std::optional<T>& it) {
        return it ? value(*it) : value(nullptr);
    }
    // Any range.
    template <class Range>
        requires requires(const Range& it) { it.begin(); }
    Json& values(const Range& range) {
        return list([&] {
            for (const auto& each : range) value(each);
        });
    }

private:
    bool fresh_ = true;  // nothing stands before in the same object or list

    void separate() {
        if (!fresh_) text += ',';
        fresh_ = false;
    }
    template <class Fill>
    Json& enclosed(char open, char close, Fill&& fill) {
        separate();
        text += open;
        fresh_ = true;
        fill();
        text += close;
        fresh_ = false;
        return *this;
    }
    Json& word(std::string_view it) {
        separate();
        text += it;
        return *this;
    }
    Json& string(std::string_view it) {
        separate();
        text += '"';
        for (const char c : it) {
            if (c == '"' || c == '\\') text += '\\';
            if (static_cast<unsigned char>(c) >= 0x20) text += c;  // the core's words have no others
        }
        text += '"';
        return *this;
    }
};

}  // namespace ofc
