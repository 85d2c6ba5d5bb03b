// The header of an e-mail: the field that each place of the text belongs to.
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "base/utf8.hpp"

namespace tercet {

struct Field {
    std::size_t end;   // in characters
    std::string name;  // in lower case, with the colon
};

struct Header {
    std::vector<Field> fields{};
    std::size_t size = 0;  // in bytes
};

class HeaderReader {
  public:
    // The header fields at the start of a text; none if the text does not start with a header. A header has two or more lines
    // `Name: value`, and at least one of the names is usual in e-mails. Indented lines continue a field. The header ends at an empty
    // line or at the end of the text. Empty lines and a line `From …` may come before it.
    static Header read(Bytes text) {
        HeaderReader reader(text);
        return reader.run() ? std::move(reader.header_) : Header{};
    }

  private:
    static constexpr Bytes usual[] = {"from:", "to:", "subject:", "date:", "received:", "return-path:", "message-id:", "newsgroups:",
                                      "sender:", "reply-to:", "delivered-to:", "path:"};

    explicit HeaderReader(Bytes text) : text_(text) {}

    bool run() {
        if (text_.starts_with("\xEF\xBB\xBF")) take(3);
        while (header_.size < text_.size() && is_among(text_[header_.size], "\r\n")) take(1);
        bool is_mail = false;
        int n_named = 0;
        while (header_.size < text_.size()) {
            const std::size_t line_end = std::min(text_.find('\n', header_.size), text_.size());
            Bytes line = text_.substr(header_.size, line_end - header_.size);
            if (line.ends_with('\r')) line.remove_suffix(1);
            if (line.empty()) break;
            const std::string name = name_of(line);
            const bool is_first = header_.fields.empty();
            if (name.empty() && !(is_first && is_postmark(line)) && (is_first || !is_among(line[0], " \t"))) return false;
            take(std::min(line_end + 1, text_.size()) - header_.size);
            if (is_first || !name.empty()) header_.fields.push_back({0, name});
            header_.fields.back().end = n_characters_;
            n_named += !name.empty();
            is_mail = is_mail || std::find(std::begin(usual), std::end(usual), name) != std::end(usual);
        }
        return is_mail && n_named >= 2;
    }

    void take(std::size_t n) {
        n_characters_ += count_characters(text_.substr(header_.size, n));
        header_.size += n;
    }

    static bool is_among(char c, Bytes set) { return set.find(c) != Bytes::npos; }
    static bool is_letter(char c) { return static_cast<unsigned char>((c | 0x20) - 'a') < 26; }
    static bool is_postmark(Bytes line) { return line.starts_with("From ") || line.starts_with(">From "); }

    // The name at the start of a line, or an empty string. A web address (http://…) is not a name.
    static std::string name_of(Bytes line) {
        std::string name;
        for (char c : line) {
            if (c == ':') break;
            if (!is_letter(c) && (name.empty() || !(is_among(c, "-_") || (c >= '0' && c <= '9')))) return {};
            name.push_back(static_cast<char>(is_letter(c) ? c | 0x20 : c));
        }
        const std::size_t n = name.size();
        return n == 0 || n == line.size() || line.substr(n + 1).starts_with("//") ? std::string() : name + ':';
    }

    Bytes text_;
    Header header_;
    std::size_t n_characters_ = 0;
};

// The field of a place. Places must be passed in rising order. After the header the name is empty.
class FieldOfPlace {
  public:
    explicit FieldOfPlace(const std::vector<Field>& fields) : fields_(fields) {}
    void go_to(std::size_t place) {
        while (number_ < fields_.size() && fields_[number_].end <= place) ++number_;
    }
    std::size_t number() const { return number_; }
    Bytes name() const { return number_ < fields_.size() ? Bytes(fields_[number_].name) : Bytes(); }

  private:
    const std::vector<Field>& fields_;
    std::size_t number_ = 0;
};

}  // namespace tercet
