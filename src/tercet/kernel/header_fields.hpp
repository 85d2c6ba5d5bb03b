// The header of an e-mail: which field each place of the text belongs to.
#pragma once
#include <string>
#include <vector>

#include "utf8.hpp"

namespace tercet {

struct Field {
    std::size_t end;
    std::string name;  // in lower case, with the colon
};

// The fields at the front of a text, in order: two or more lines `Name: value`, each with the indented lines behind it, up to an
// empty line or the end. A line `From …` may stand before them. Nothing, when the text does not begin so.
inline std::vector<Field> find_fields(Bytes text) {
    std::vector<Field> fields;
    std::size_t begin = 0, n_named = 0;
    while (begin < text.size()) {
        const std::size_t line_end = std::min(text.find('\n', begin), text.size());
        Bytes line = text.substr(begin, line_end - begin);
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line.empty()) break;
        const std::size_t next = std::min(line_end + 1, text.size());
        std::string name;
        const auto is_letter = [](char c) { return static_cast<unsigned char>((c | 0x20) - 'a') < 26; };
        for (char c : line) {
            if (!is_letter(c) && c != '-' && !(c >= '0' && c <= '9')) break;
            name.push_back(static_cast<char>(is_letter(c) ? c | 0x20 : c));
        }
        if (!name.empty() && line.size() > name.size() && line[name.size()] == ':') {
            ++n_named;
            fields.push_back({next, name + ':'});
        } else if (fields.empty() && name == "from" && line.size() > 4 && line[4] == ' ') {
            fields.push_back({next, ""});
        } else if (!fields.empty() && (line[0] == ' ' || line[0] == '\t')) {
            fields.back().end = next;
        } else {
            return {};
        }
        begin = next;
    }
    if (n_named < 2) fields.clear();
    return fields;
}

// The field of one place after the other, from the front of the text to its end; empty outside of the header.
class FieldOfPlace {
  public:
    explicit FieldOfPlace(std::vector<Field> fields) : fields_(std::move(fields)) {}
    Bytes at(std::size_t place) {
        while (next_ < fields_.size() && fields_[next_].end <= place) ++next_;
        return next_ < fields_.size() ? Bytes(fields_[next_].name) : Bytes();
    }

  private:
    std::vector<Field> fields_;
    std::size_t next_ = 0;
};

}  // namespace tercet
