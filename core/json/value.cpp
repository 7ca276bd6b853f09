#include "json/value.hpp"

#include <charconv>
#include <cmath>

namespace ofc {

namespace {

constexpr int kDeepest = 64;

class Reader {
public:
    explicit Reader(std::string_view text) : text_(text) {}

    std::optional<JsonValue> whole() {
        JsonValue value;
        if (!read(value, 0)) return std::nullopt;
        skip();
        return at_ == text_.size() ? std::optional(std::move(value)) : std::nullopt;
    }

private:
    std::string_view text_;
    std::size_t at_ = 0;

    void skip() {
        while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
    }
    bool take(char wanted) {
        skip();
        if (at_ == text_.size() || text_[at_] != wanted) return false;
        ++at_;
        return true;
    }
    bool word(std::string_view wanted) {
        if (!text_.substr(at_).starts_with(wanted)) return false;
        at_ += wanted.size();
        return true;
    }

    bool read(JsonValue& value, int depth) {
        skip();
        if (at_ == text_.size() || depth > kDeepest) return false;
        const std::size_t begin = at_;
        const bool is_read = read_kind(value, depth);
        value.source = text_.substr(begin, at_ - begin);
        return is_read;
    }

    bool read_kind(JsonValue& value, int depth) {
        using Kind = JsonValue::Kind;
        switch (text_[at_]) {
            case '{':
                value.kind = Kind::kObject;
                return read_members(value, depth);
            case '[':
                value.kind = Kind::kList;
                return read_items(value, depth);
            case '"':
                value.kind = Kind::kText;
                return read_text(value.text);
            case 't':
            case 'f':
                value.kind = Kind::kBool;
                value.truth = text_[at_] == 't';
                return word(value.truth ? "true" : "false");
            case 'n':
                return word("null");
            default:
                value.kind = Kind::kNumber;
                return read_number(value.number);
        }
    }

    bool read_members(JsonValue& value, int depth) {
        ++at_;
        if (take('}')) return true;
        do {
            skip();
            auto& [name, member] = value.members.emplace_back();
            if (at_ == text_.size() || text_[at_] != '"' || !read_text(name)) return false;
            if (!take(':') || !read(member, depth + 1)) return false;
        } while (take(','));
        return take('}');
    }

    bool read_items(JsonValue& value, int depth) {
        ++at_;
        if (take(']')) return true;
        do {
            if (!read(value.items.emplace_back(), depth + 1)) return false;
        } while (take(','));
        return take(']');
    }

    bool read_number(double& number) {
        const char* begin = text_.data() + at_;
        if (*begin != '-' && (*begin < '0' || *begin > '9')) return false;
        const auto found = std::from_chars(begin, text_.data() + text_.size(), number);
        at_ += static_cast<std::size_t>(found.ptr - begin);
        return found.ec == std::errc{} && std::isfinite(number);
    }

    bool read_text(std::string& text) {
        for (++at_; at_ < text_.size(); ++at_) {
            const char c = text_[at_];
            if (c == '"') return ++at_, true;
            if (static_cast<unsigned char>(c) < 0x20) return false;
            if (c != '\\') {
                text += c;
                continue;
            }
            if (++at_ == text_.size() || !read_escape(text)) return false;
        }
        return false;
    }

    bool read_escape(std::string& text) {
        constexpr std::string_view kNames = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
        if (const auto found = kNames.find(text_[at_]); found != std::string_view::npos) {
            text += kMeant[found];
            return true;
        }
        unsigned code = 0;
        const char* digits = text_.data() + at_ + 1;
        if (text_[at_] != 'u' || at_ + 4 >= text_.size() ||
            std::from_chars(digits, digits + 4, code, 16).ptr != digits + 4)
            return false;
        at_ += 4;
        // No name in a log needs more than one such number: the halves of a pair stay what they are, no letters.
        if (code < 0x80) {
            text += static_cast<char>(code);
        } else if (code < 0x800) {
            text += {static_cast<char>(0xC0 | code >> 6), static_cast<char>(0x80 | (code & 0x3F))};
        } else {
            text += code >= 0xD800 && code < 0xE000 ? "?"
                                                    : std::string{static_cast<char>(0xE0 | code >> 12),
                                                                  static_cast<char>(0x80 | (code >> 6 & 0x3F)),
                                                                  static_cast<char>(0x80 | (code & 0x3F))};
        }
        return true;
    }
};

}  // namespace

const JsonValue* JsonValue::find(std::string_view name) const {
    const JsonValue* found = nullptr;
    for (const auto& [each, member] : members)
        if (each == name) found = &member;
    return found;
}

bool JsonValue::is_set() const { return truth || number != 0.0 || !text.empty() || !items.empty() || !members.empty(); }

std::optional<int> JsonValue::integer() const {
    if (kind == Kind::kBool) return truth;
    if (kind != Kind::kNumber || std::abs(number) > 1e9 || number != std::floor(number)) return std::nullopt;
    return static_cast<int>(number);
}

std::optional<JsonValue> read_json(std::string_view text) { return Reader(text).whole(); }

}  // namespace ofc
