// JSON of any shape, such as somebody pasted, as values; json/reader.hpp is for texts whose shape is known.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ofc {

struct JsonValue {
    enum class Kind { kNull, kBool, kNumber, kText, kList, kObject };
    Kind kind = Kind::kNull;
    bool truth = false;                                      // of a bool
    double number = 0.0;                                     // of a number
    std::string text;                                        // of a text
    std::vector<JsonValue> items;                            // of a list
    std::vector<std::pair<std::string, JsonValue>> members;  // of an object, in the order written
    std::string_view source;                                 // as it was written

    const JsonValue* find(std::string_view name) const;  // a member, the last of that name; null if there is none
    bool is_set() const;                                 // what is neither null, false, zero nor empty
    std::optional<int> integer() const;                  // a whole number that fits, or a bool as 0 or 1
};

// None where the text is not one JSON value, or is nested too deeply to be one that anybody means. The values point
// into the text.
std::optional<JsonValue> read_json(std::string_view text);

}  // namespace ofc
