#include "json/reader.hpp"

#include <charconv>
#include <cmath>
#include <stdexcept>

namespace ofc {

void JsonReader::refuse(const std::string& why) const {
    throw std::invalid_argument(std::string("not a ") + what_ + ": " + why);
}

char JsonReader::next() {
    const auto at = left_.find_first_not_of(" \t\r\n");
    left_ = at == std::string_view::npos ? std::string_view{} : left_.substr(at);
    return left_.empty() ? '\0' : left_.front();
}

void JsonReader::take(char sign) {
    if (next() != sign) {
        const std::string found = left_.empty() ? "the end" : "'" + std::string(left_.substr(0, 1)) + "'";
        refuse(std::string("'") + sign + "' should stand before " + found);
    }
    left_.remove_prefix(1);
}

bool JsonReader::word(std::string_view expected) {
    next();
    if (!left_.starts_with(expected)) return false;
    left_.remove_prefix(expected.size());
    return true;
}

void JsonReader::enter(char open) {
    take(open);
    if (++depth_ > kDeepest) refuse("it is nested too deep");
}

bool JsonReader::closes(char close, bool first) {
    if (next() == close) {
        left_.remove_prefix(1);
        --depth_;
        return true;
    }
    if (!first) take(',');
    return false;
}

bool JsonReader::null() { return word("null"); }

void JsonReader::value(bool& out) {
    out = word("true");
    if (!out && !word("false")) refuse("a value should be true or false");
}

void JsonReader::value(double& out) {
    next();
    const auto [end, error] = std::from_chars(left_.data(), left_.data() + left_.size(), out);
    if (error != std::errc{} || !std::isfinite(out)) refuse("a value should be a number");
    left_.remove_prefix(static_cast<std::size_t>(end - left_.data()));
}

unsigned JsonReader::hexadecimal() {
    unsigned code = 0;
    const std::string_view digits = left_.substr(0, 4);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
    if (error != std::errc{} || end != digits.data() + 4) refuse("a sign is written wrongly");
    left_.remove_prefix(4);
    return code;
}

void JsonReader::unicode(std::string& out) {
    unsigned code = hexadecimal();
    if (code >= 0xD800 && code < 0xDC00 && left_.starts_with("\\u")) {  // two halves of one sign
        left_.remove_prefix(2);
        code = 0x10000 + ((code - 0xD800) << 10) + ((hexadecimal() - 0xDC00) & 0x3FF);
    }
    const auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((code >> shift) & 0x3F)); };
    if (code < 0x80) {
        out += static_cast<char>(code);
    } else if (code < 0x800) {
        out += static_cast<char>(0xC0 | (code >> 6)), tail(0);
    } else if (code < 0x10000) {
        out += static_cast<char>(0xE0 | (code >> 12)), tail(6), tail(0);
    } else {
        out += static_cast<char>(0xF0 | (code >> 18)), tail(12), tail(6), tail(0);
    }
}

std::string JsonReader::string() {
    take('"');
    std::string out;
    while (true) {
        const auto at = left_.find_first_of("\"\\");
        if (at == std::string_view::npos || at + 1 >= left_.size() + (left_[at] == '"')) refuse("a text has no end");
        out += left_.substr(0, at);
        const bool ends = left_[at] == '"';
        left_.remove_prefix(at + 1);
        if (ends) return out;
        const char sign = left_.front();
        left_.remove_prefix(1);
        constexpr std::string_view kNames = "bfnrt\"\\/", kSigns = "\b\f\n\r\t\"\\/";
        if (const auto known = kNames.find(sign); known != std::string_view::npos)
            out += kSigns[known];
        else if (sign == 'u')
            unicode(out);
        else
            refuse("a sign is written wrongly");
    }
}

void JsonReader::skip() {
    const char sign = next();
    if (sign == '{') {
        object([&](const std::string&) { skip(); });
    } else if (sign == '[') {
        list([&] { skip(); });
    } else if (sign == '"') {
        string();
    } else if (!null()) {
        bool truth;
        double number;
        if (sign == 't' || sign == 'f')
            value(truth);
        else
            value(number);
    }
}

void JsonReader::end() {
    if (next()) refuse("something follows its end");
}

}  // namespace ofc
