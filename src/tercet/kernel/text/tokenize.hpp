// Text → tokens: where each begins and ends.
#pragma once
#include "base/utf8.hpp"
#include "text/emoji.hpp"
#include "text/recipe.hpp"
#include "text/ascii_runs.hpp"
#include "text/unicode.hpp"

namespace tercet {

struct Token {
    std::size_t begin;
    std::size_t end;
    bool alone = false;  // part of a run without spaces: it is not part of any word n-gram
};

inline bool is_apostrophe(char32_t c) { return c == U'\'' || c == U'’'; }

// Reads the characters of a part of a text one after another.
class Scanner {
  public:
    explicit Scanner(Bytes text) : Scanner(text, 0, text.size()) {}
    Scanner(Bytes text, std::size_t begin, std::size_t end) : text_(text.data()), p_(text_ + begin), end_(text_ + end) {}

    bool done() const { return p_ == end_; }
    std::size_t position() const { return p_ - text_; }
    char32_t character() const {
        const char* p = p_;
        return read_character(p);
    }
    void skip_character() { p_ += character_size(*p_); }
    bool at(std::uint16_t properties) const {
        const char* p = p_;
        return !done() && database_.is(read_character(p), properties);
    }
    // Skip characters with one of these properties. The result is their number.
    std::size_t skip(std::uint16_t properties) {
        std::size_t n = 0;
        for (; at(properties); ++n) skip_character();
        return n;
    }

  private:
    const UnicodeDatabase& database_ = UnicodeDatabase::get();
    const char *text_, *p_, *end_;
};

template <class Emit>
class Tokenizer {
  public:
    Tokenizer(Bytes text, std::size_t min_length, Emit& emit)
        : text_(text), ascii_(ascii_prefix(text) == text.size()), min_length_(min_length), emit_(emit) {}

    // An ASCII character that is not in a word always separates tokens. So only runs with other characters need the slow method.
    void words(bool with_marks) {
        each_run(text_, ascii_class::word, [&](std::size_t begin, std::size_t end) {
            if (is_ascii(begin, end)) return emit_long(begin, end, end - begin);
            for (Scanner scan(text_, begin, end); !scan.done();) {
                if (with_marks && scan.at(property::unspaced)) unspaced(scan);
                else if (scan.at(property::word)) word(scan, with_marks);
                else scan.skip_character();
            }
        });
    }

    void words_and_marks() {
        // A mark may belong to a symbol, so only white space separates the runs here.
        each_run(text_, ascii_class::ink, [&](std::size_t begin, std::size_t end) {
            if (is_ascii(begin, end)) return ascii_words_and_marks(begin, end);
            for (Scanner scan(text_, begin, end); !scan.done();) {
                if (scan.at(property::unspaced)) unspaced(scan);
                else if (scan.at(property::word)) word(scan, true, true);
                else if (const std::size_t end_of_emoji = EmojiFinder::end_at(text_, scan.position())) emoji(scan, end_of_emoji);
                else if (scan.at(property::symbol)) character(scan);
                else scan.skip_character();
            }
        });
    }

    void whitespace() {
        runs(ascii_class::ink, [](const Scanner& scan) { return scan.at(property::space); });
    }

    // Tokens between white space and the punctuation of b4msa.
    void tweet_words() {
        runs(ascii_class::tweet_word, [](const Scanner& scan) { return scan.at(property::space) || is_tweet_mark(scan.character()); });
    }

    void characters() {
        for (Scanner scan(text_); scan.skip(property::space), !scan.done();) character(scan);
    }

    void bytes() {
        for (std::size_t i = 0; i < text_.size(); ++i) emit_long(i, i + 1, 1);
    }

  private:
    // Tokens between separators. An ASCII character is a separator if it is not in the class; parts(scan) finds the other separators.
    template <class InClass, class Parts>
    void runs(InClass in_class, Parts parts) {
        each_run(text_, in_class, [&](std::size_t begin, std::size_t end) {
            if (is_ascii(begin, end)) return emit_long(begin, end, end - begin);
            for (Scanner scan(text_, begin, end); !scan.done();) {
                std::size_t length = 0;
                const std::size_t from = scan.position();
                for (; !scan.done() && !parts(scan); ++length) scan.skip_character();
                if (length) emit_long(from, scan.position(), length);
                else scan.skip_character();
            }
        });
    }

    bool is_ascii(std::size_t begin, std::size_t end) const {
        return ascii_ || ascii_prefix(text_.substr(begin, end - begin)) == end - begin;
    }

    void emit_long(std::size_t begin, std::size_t end, std::size_t length, bool alone = false) {
        if (length >= min_length_) emit_(Token{begin, end, alone});
    }

    void word(Scanner& scan, bool with_marks, bool with_apostrophes = false) {
        const std::size_t begin = scan.position();
        const auto more = static_cast<std::uint16_t>(with_marks ? property::word | property::mark : property::word);
        const auto goes_on = [&](const Scanner& at) { return at.at(more) && !(with_marks && at.at(property::unspaced)); };
        std::size_t length = 0;
        for (;; ++length) {
            if (!goes_on(scan)) {
                if (!with_apostrophes || scan.done() || !is_apostrophe(scan.character())) break;
                Scanner behind = scan;
                behind.skip_character();
                if (!behind.at(property::word) || !goes_on(behind)) break;
            }
            scan.skip_character();
        }
        emit_long(begin, scan.position(), length);
    }

    // One character with its marks.
    void character(Scanner& scan) {
        const std::size_t begin = scan.position();
        scan.skip_character();
        const std::size_t length = 1 + scan.skip(property::mark);
        emit_long(begin, scan.position(), length);
    }

    void emoji(Scanner& scan, std::size_t emoji_end) {
        const std::size_t begin = scan.position();
        std::size_t length = 0;
        for (; scan.position() < emoji_end; ++length) scan.skip_character();
        length += scan.skip(property::mark);
        emit_long(begin, scan.position(), length);
    }

    // A run of a script without spaces: each character with its marks, and each pair of neighbours.
    void unspaced(Scanner& scan) {
        std::size_t before = 0, before_length = 0;
        while (scan.at(property::unspaced)) {
            const std::size_t begin = scan.position();
            scan.skip_character();
            const std::size_t length = 1 + scan.skip(property::mark), end = scan.position();
            if (before_length) emit_long(before, end, before_length + length, true);
            emit_long(begin, end, length, true);
            before = begin;
            before_length = length;
        }
    }

    void ascii_words_and_marks(std::size_t begin, std::size_t end) {
        const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text_[i]); };
        for (std::size_t i = begin; i < end;) {
            const std::size_t from = i;
            while (i < end && (ascii_class::word(at(i)) || (at(i) == '\'' && i > from && i + 1 < end && ascii_class::word(at(i + 1))))) ++i;
            if (i == from && at(i) > ' ' && at(i) != 0x7F) ++i;
            if (i > from) emit_long(from, i, i - from);
            else ++i;  // a control character
        }
    }

    Bytes text_;
    bool ascii_;
    std::size_t min_length_;
    Emit& emit_;
};

// Call emit(Token) for each token with at least `min_length` characters, in order.
template <class Emit>
void each_token(const Recipe& recipe, Bytes text, Emit emit, std::size_t min_length) {
    Tokenizer<Emit> tokenizer(text, min_length, emit);
    switch (recipe.tokens) {
        case Tokens::words: return tokenizer.words(true);
        case Tokens::words_and_marks: return tokenizer.words_and_marks();
        case Tokens::regex_words: return tokenizer.words(false);
        case Tokens::tweet_words: return tokenizer.tweet_words();
        case Tokens::whitespace: return tokenizer.whitespace();
        case Tokens::characters: return tokenizer.characters();
        case Tokens::bytes: return tokenizer.bytes();
        case Tokens::treebank: return tokenizer.whitespace();  // TreebankSpacing has already put blanks between the tokens
    }
}

// The same with the minimum length of the recipe.
template <class Emit>
void each_token(const Recipe& recipe, Bytes text, Emit emit) {
    each_token(recipe, text, emit, static_cast<std::size_t>(recipe.min_token_length));
}

}  // namespace tercet
