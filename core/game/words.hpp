// Text that people wrote, as UTF-8: its characters, its blanks, and how a refusal repeats it.
#pragma once

#include <string>
#include <string_view>

namespace ofc {

// The character that begins at a place, and how many bytes it takes; a byte that begins none stands for itself.
struct Character {
    char32_t code = 0;
    std::size_t size = 1;
};
Character character_at(std::string_view text, std::size_t at);
// The one that ends before a place; code 0 at the beginning.
Character character_before(std::string_view text, std::size_t at);

bool is_blank(char32_t code);      // also the wide ones of Japanese and of typesetting
bool is_word_part(char32_t code);  // letters, digits and the underline; of other scripts whatever is no sign
std::size_t character_count(std::string_view text);

char lowered(char letter);  // of ASCII
std::string lowered(std::string_view text);
std::string_view trimmed(std::string_view text);  // without blanks around it

// At most so many characters, with three dots for what is left out at the end.
std::string shortened(std::string_view text, std::size_t most);
// In quotation marks on one short line, for a refusal: of a long text both ends.
std::string quoted(std::string_view text);
std::string unknown_card(std::string_view name);  // the refusal of what is no card

}  // namespace ofc
