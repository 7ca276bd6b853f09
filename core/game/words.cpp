#include "game/words.hpp"

namespace ofc {

namespace {

constexpr std::size_t kShown = 60, kEnds = 28;  // characters that a refusal repeats; of a long text, of each end

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// The place where the last `count` characters begin.
std::size_t last_characters(std::string_view text, std::size_t count) {
    std::size_t at = text.size();
    while (count-- && at) at -= character_before(text, at).size;
    return at;
}

std::size_t first_characters(std::string_view text, std::size_t count) {
    std::size_t at = 0;
    while (count-- && at < text.size()) at += character_at(text, at).size;
    return at;
}

}  // namespace

Character character_at(std::string_view text, std::size_t at) {
    const auto first = static_cast<unsigned char>(text[at]);
    const std::size_t size = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (size == 1 || at + size > text.size()) return {first, 1};
    char32_t code = first & (0x7Fu >> size);
    for (std::size_t i = 1; i < size; ++i) {
        if (!is_continuation(text[at + i])) return {first, 1};
        code = code << 6 | (static_cast<unsigned char>(text[at + i]) & 0x3F);
    }
    return {code, size};
}

Character character_before(std::string_view text, std::size_t at) {
    if (at == 0) return {0, 0};
    std::size_t begin = at - 1;
    while (begin && at - begin < 4 && is_continuation(text[begin])) --begin;
    const Character found = character_at(text, begin);
    return begin + found.size == at ? found : Character{static_cast<unsigned char>(text[at - 1]), 1};
}

bool is_blank(char32_t code) {
    return code == ' ' || (code >= 0x09 && code <= 0x0D) || (code >= 0x1C && code <= 0x1F) || code == 0x85 ||
           code == 0xA0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 ||
           code == 0x202F || code == 0x205F || code == 0x3000;
}

bool is_word_part(char32_t code) {
    if (code < 0x80)
        return (code >= '0' && code <= '9') || (code >= 'A' && code <= 'Z') || (code >= 'a' && code <= 'z') ||
               code == '_';
    const bool latin_sign = code < 0xC0 && code != 0xAA && code != 0xB5 && code != 0xBA;
    const bool sign = (code >= 0x2000 && code <= 0x2BFF) || (code >= 0x3000 && code <= 0x3004) ||
                      (code >= 0x3008 && code <= 0x3020) || (code >= 0xFF01 && code <= 0xFF0F);
    return !latin_sign && !sign && !is_blank(code);
}

std::size_t character_count(std::string_view text) {
    std::size_t count = 0;
    for (std::size_t at = 0; at < text.size(); at += character_at(text, at).size) ++count;
    return count;
}

char lowered(char letter) { return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter; }

std::string lowered(std::string_view text) {
    std::string low(text);
    for (char& letter : low) letter = lowered(letter);
    return low;
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty()) {
        const Character first = character_at(text, 0);
        if (!is_blank(first.code)) break;
        text.remove_prefix(first.size);
    }
    while (!text.empty()) {
        const Character last = character_before(text, text.size());
        if (!is_blank(last.code)) break;
        text.remove_suffix(last.size);
    }
    return text;
}

std::string shortened(std::string_view text, std::size_t most) {
    const std::size_t end = first_characters(text, most);
    return end == text.size() ? std::string(text) : std::string(text.substr(0, end)) + "…";
}

std::string quoted(std::string_view text) {
    std::string line(text);
    if (character_count(text) > kShown)
        line = std::string(text.substr(0, first_characters(text, kEnds))) + "..." +
               std::string(text.substr(last_characters(text, kEnds)));
    for (char& letter : line)
        if (static_cast<unsigned char>(letter) < 0x20) letter = ' ';
    return "'" + line + "'";
}

}  // namespace ofc
