// HTML → text. Tags, comments, scripts and styles become a blank; tags that end a line become a line break; entities become their
// characters. Markup that never ends stays text, and so does a < that does not begin a tag. The grammar is in html.py, as regular
// expressions.
//
// The time is linear for every text. A search for the end of a comment or a script that fails is remembered and not repeated. A tag may
// be read again from a < inside its quotes. But each quotation mark only switches between three states (outside quotes, in double
// quotes, in single quotes), and two readings of the same place are always in different states: at most three readings.
#pragma once
#include "text/entities.hpp"
#include "text/search.hpp"
#include "text/text.hpp"

namespace tercet {

class HtmlStripper {
  public:
    // Copy the text without its markup. If there is none, nothing is copied, and the result is false. The first `from` bytes are not
    // HTML.
    static bool strip(const Text& text, Text& out, std::size_t from) { return HtmlStripper(text.bytes).run(text, out, from); }

  private:
    static constexpr char32_t no_character = 0x110000;
    static constexpr Bytes raw_names[] = {"script", "style"};
    static constexpr Bytes name_ends = " \t\n\r\f/>";

    explicit HtmlStripper(Bytes text) : text_(text) {}

    bool run(const Text& text, Text& out, std::size_t from) {
        const auto may_begin = [](unsigned char c) { return c == '<' || c == '&'; };
        std::size_t done = 0;
        for (std::size_t i = from; (i = find_byte(text_, i, may_begin)) < text_.size();) {
            char32_t c = text_[i] == '<' && ends_line(i) ? U'\n' : U' ';
            const std::size_t end = text_[i] == '<' ? markup_end(i) : read_entity(i, c);
            if (end == nowhere) {
                ++i;
                continue;
            }
            out.append_copy(text, done, i);
            if (c != no_character) out.append(c, text.source(i, end));
            done = i = end;
        }
        if (done == 0) return false;
        out.append_copy(text, done, text_.size());
        return true;
    }

    static bool is_letter(char c) { return static_cast<unsigned char>((c | 0x20) - 'a') < 26; }
    char at(std::size_t i) const { return byte_at(text_, i); }

    // Whether the tag at i begins or ends a line, a paragraph, or a cell of a table.
    bool ends_line(std::size_t i) const {
        static constexpr Bytes names[] = {"address", "article", "aside", "blockquote", "body", "br", "caption", "center", "dd", "div",
                                          "dl", "dt", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6",
                                          "head", "header", "hr", "html", "li", "main", "nav", "ol", "option", "p", "pre", "section",
                                          "table", "tbody", "td", "tfoot", "th", "thead", "title", "tr", "ul"};
        const std::size_t begin = at(i + 1) == '/' ? i + 2 : i + 1;
        return std::any_of(std::begin(names), std::end(names), [&](Bytes name) { return has_name(begin, name); });
    }

    // The end of the markup that begins at i.
    std::size_t markup_end(std::size_t i) {
        const char c = at(i + 1);
        if (c == '!' && text_.substr(i + 2, 2) == "--") return comment_end(i);
        if (c == '!' || c == '?') return is_letter(at(i + 2)) || at(i + 2) == '[' ? plain_end(i + 2) : nowhere;
        if (!is_letter(at(c == '/' ? i + 2 : i + 1))) return nowhere;
        std::size_t end = quoted_end(i + 1);
        if (end == nowhere) end = plain_end(i + 1);
        if (end == nowhere) return nowhere;
        for (std::size_t raw = 0; raw < std::size(raw_names); ++raw)
            if (has_name(i + 1, raw_names[raw])) return raw_end(end, raw);
        return end;
    }

    std::size_t comment_end(std::size_t i) {
        if (unclosed_comment_) return nowhere;
        const std::size_t end = text_.find("-->", i + 2);  // <!--> is also a comment
        unclosed_comment_ = end == nowhere;
        return unclosed_comment_ ? nowhere : end + 3;
    }

    // The place after the next >, if there is no < before it.
    std::size_t plain_end(std::size_t i) const {
        const std::size_t end = find_byte(text_, i, [](unsigned char c) { return c == '<' || c == '>'; });
        return at(end) == '>' ? end + 1 : nowhere;
    }

    // The same, but characters inside quotes are ignored.
    std::size_t quoted_end(std::size_t i) const {
        for (; i < text_.size() && text_[i] != '<'; ++i) {
            if (text_[i] == '>') return i + 1;
            if (text_[i] == '"' || text_[i] == '\'') i = text_.find(text_[i], i + 1);
            if (i == nowhere) break;
        }
        return nowhere;
    }

    bool has_name(std::size_t i, Bytes name) const {
        for (std::size_t k = 0; k < name.size(); ++k)
            if ((is_letter(name[k]) ? at(i + k) | 0x20 : at(i + k)) != name[k]) return false;
        return is_among(at(i + name.size()), name_ends);
    }

    // The end of the element whose content begins here. If it is never closed, the end of its opening tag.
    std::size_t raw_end(std::size_t content, std::size_t raw) {
        if (unclosed_raw_[raw]) return content;
        for (std::size_t i = text_.find("</", content); i != nowhere; i = text_.find("</", i + 2)) {
            if (!has_name(i + 2, raw_names[raw])) continue;
            const std::size_t end = plain_end(i + 2);
            if (end != nowhere) return end;
        }
        unclosed_raw_[raw] = true;
        return content;
    }

    // Read the entity at i into c. The result is the end of the entity.
    std::size_t read_entity(std::size_t i, char32_t& c) const {
        if (at(i + 1) != '#') return read_name(i + 1, c);
        const bool hexadecimal = (at(i + 2) | 0x20) == 'x';
        const std::size_t begin = i + (hexadecimal ? 3 : 2);
        std::size_t end = begin;
        char32_t number = 0;
        for (int digit; (digit = digit_value(at(end), hexadecimal)) >= 0; ++end)
            number = std::min<char32_t>(number * (hexadecimal ? 16 : 10) + static_cast<char32_t>(digit), 0x110000);
        if (end == begin) return nowhere;
        c = referred(number);
        return at(end) == ';' ? end + 1 : end;
    }

    std::size_t read_name(std::size_t begin, char32_t& c) const {
        const std::size_t length = text_.substr(begin, entities::longest_name + 1).find(';');
        if (length == nowhere) return nowhere;
        const Bytes name = text_.substr(begin, length);
        const auto* found = std::lower_bound(std::begin(entities::names), std::end(entities::names), name,
                                             [](const entities::Entity& entity, Bytes wanted) { return entity.name < wanted; });
        if (found == std::end(entities::names) || found->name != name) return nowhere;
        c = found->character;
        return begin + length + 1;
    }

    static int digit_value(char c, bool hexadecimal) {
        if (static_cast<unsigned char>(c - '0') < 10) return c - '0';
        const char letter = static_cast<char>(c | 0x20);
        return hexadecimal && letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
    }

    // The character with this number, by the rules of HTML 5: Windows characters for control characters, U+FFFD for numbers beyond
    // Unicode and for surrogates, no character for numbers that are never characters.
    static char32_t referred(char32_t number) {
        if (number < std::size(entities::low_numbers)) {
            const char32_t c = entities::low_numbers[number];
            return c ? c : no_character;
        }
        if (number > 0x10FFFF || (number >= 0xD800 && number < 0xE000)) return 0xFFFD;
        return (number & 0xFFFE) == 0xFFFE || (number >= 0xFDD0 && number < 0xFDF0) ? no_character : number;
    }

    Bytes text_;
    bool unclosed_comment_ = false;
    bool unclosed_raw_[std::size(raw_names)] = {};
};

}  // namespace tercet
