// JSON text, read piece by piece by whoever knows what comes next.
#pragma once

#include <cmath>
#include <concepts>
#include <limits>
#include <string>
#include <string_view>

namespace ofc {

class JsonReader {
public:
    // `what` names the text in refusals.
    JsonReader(std::string_view text, const char* what) : left_(text), what_(what) {}

    // Calls `member` with every name; it reads the value.
    template <class Member>
    void object(Member&& member) {
        enter('{');
        for (bool first = true; !closes('}', first); first = false) {
            const std::string name = string();
            take(':');
            member(name);
        }
    }
    // Calls `item` where an item stands; it reads the item.
    template <class Item>
    void list(Item&& item) {
        enter('[');
        for (bool first = true; !closes(']', first); first = false) item();
    }

    bool null();  // takes it, if it stands here
    void value(bool& out);
    void value(double& out);
    void value(std::string& out) { out = string(); }
    template <std::signed_integral Number>
    void value(Number& out) {
        double number = 0.0;
        value(number);
        if (std::abs(number) > std::numeric_limits<Number>::max() || number != std::trunc(number))
            refuse("a value should be a whole number");
        out = static_cast<Number>(number);
    }
    void skip();  // one value of any kind
    void end();   // throws unless all is read

    [[noreturn]] void refuse(const std::string& why) const;

private:
    static constexpr int kDeepest = 64;

    std::string_view left_;
    const char* what_;
    int depth_ = 0;

    char next();  // the next sign after white space; 0 at the end
    void take(char sign);
    bool word(std::string_view expected);
    std::string string();
    void unicode(std::string& out);
    unsigned hexadecimal();
    void enter(char open);
    bool closes(char close, bool first);
};

}  // namespace ofc
