// Text → words, as symbols of the writing system that each word is written in.
//
// A letter is its writing system and its symbol there. A word is a run of letters of one system, and a 0 follows each word. Addresses
// (URLs, e-mail addresses, @names) are left out. A letter and an accent after it are one letter if Unicode has one for both. Signs that
// are frequent in programs and rare in texts are counted.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "base/documents.hpp"
#include "text/unicode.hpp"

namespace tercet {

using Letter = std::uint32_t;  // system << 16 | symbol; 0 is no letter

inline std::size_t system_of(Letter letter) { return letter >> 16; }
inline std::uint32_t symbol_of(Letter letter) { return letter & 0xFFFF; }

class LetterTable {
  public:
    static constexpr std::size_t n_codes = 0x323B0;  // there are no letters after them

    static constexpr std::uint32_t first_symbol = 2;  // 1 is the boundary of a word

    struct Run {
        std::uint32_t first, last;  // codes of characters
        Letter letter;              // of the first
        std::uint32_t step;         // from letter to letter, 0 or 1
    };

    explicit LetterTable(std::span<const Run> runs) : letters_(n_codes), highest_(0x100) {
        for (const Run& run : runs) {
            const std::uint64_t last_symbol = symbol_of(run.letter) + std::uint64_t{run.step} * (run.last - run.first);
            const std::size_t system = system_of(run.letter);
            if (run.first > run.last || run.last >= n_codes || run.step > 1 || symbol_of(run.letter) < first_symbol || last_symbol > 0xFFFF ||
                !system || system > 0xFF)
                throw std::invalid_argument("the letters do not fit");
            highest_[system] = std::max(highest_[system], static_cast<std::uint32_t>(last_symbol));
            for (std::uint32_t i = 0; i <= run.last - run.first; ++i) letters_[run.first + i] = run.letter + run.step * i;
        }
    }

    Letter find(char32_t c) const { return c < n_codes ? letters_[c] : 0; }
    std::uint32_t highest_symbol(std::size_t system) const { return highest_[system]; }

  private:
    std::vector<Letter> letters_;
    std::vector<std::uint32_t> highest_;  // symbol of each writing system
};

// The letters of a text, and the place of each in the text if they are tracked.
struct Words {
    std::span<const Letter> letters{};
    std::span<const std::size_t> places{};
    std::size_t n_signs = 0;  // of programs
};

class WordReader {
  public:
    explicit WordReader(const LetterTable& table, bool tracked = false) : table_(table), tracked_(tracked) {}

    // The words stay valid until the next text is read.
    const Words& read(const Document& document) {
        const std::size_t most = 2 * document.size + 1;  // letters, each with the end of a word
        if (letters_.size() < most) letters_.resize(most);
        if (tracked_ && places_.size() < most) places_.resize(most);
        n_ = words_.n_signs = 0;
        switch (document.unit) {
            case 0: read_bytes(Bytes(static_cast<const char*>(document.data), document.size)); break;
            case 1: read_units(static_cast<const std::uint8_t*>(document.data), document.size); break;
            case 2: read_units(static_cast<const std::uint16_t*>(document.data), document.size); break;
            default: read_units(static_cast<const std::uint32_t*>(document.data), document.size);
        }
        words_.letters = {letters_.data(), n_};
        if (tracked_) words_.places = {places_.data(), n_};
        return words_;
    }

  private:
    static bool is_space(char32_t c) {
        if (c < 0x85) return c <= ' ';
        return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F;
    }
    // No address goes on after this. From 0x2E80 on, there are writing systems without spaces.
    static bool ends_chunk(char32_t c) { return c >= 0x2E80 || is_space(c); }

    void read_bytes(Bytes text) {
        if (ascii_prefix(text) == text.size()) return read_units(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
        codes_.clear();
        for (const char *p = text.data(), *end = p + text.size(); p != end;) codes_.push_back(read_character(p));
        read_units(codes_.data(), codes_.size());
    }

    template <class Unit>
    void read_units(const Unit* text, std::size_t n) {
        std::size_t chunk = 0, kept = 0, kept_signs = 0;  // where the chunk begins, and how many letters and signs there were before it
        std::size_t system = 0;                           // of the letter before, 0 if it was none
        char32_t last = 0;                                // that letter, or what it was composed to
        const auto begin_chunk = [&](std::size_t i) { chunk = i, kept = n_, kept_signs = words_.n_signs; };
        for (std::size_t i = 0; i < n; ++i) {
            const char32_t c = static_cast<char32_t>(text[i]);
            if (const Letter letter = table_.find(c)) {
                if (system && system != system_of(letter)) push(0, i);
                push(letter, i);
                system = system_of(letter);
                last = c;
                if (c >= 0x2E80) begin_chunk(i + 1);
                continue;
            }
            if (system && c >= 0x300 && c < 0x370) {
                const char32_t composed = UnicodeDatabase::get().compose(last, c);
                const Letter letter = composed ? table_.find(composed) : 0;
                if (letter && system_of(letter) == system) {
                    letters_[n_ - 1] = letter;
                    last = composed;
                    continue;
                }
            }
            if (c != ' ') {
                if (begins_address(text, n, chunk, i)) {
                    n_ = kept;
                    words_.n_signs = kept_signs;
                    system = n_ ? system_of(letters_[n_ - 1]) : 0;
                    while (i + 1 < n && !ends_chunk(static_cast<char32_t>(text[i + 1]))) ++i;
                } else if (is_sign(text, n, i)) {
                    ++words_.n_signs;
                }
            }
            if (system) push(0, i);
            system = 0;
            if (ends_chunk(c)) begin_chunk(i + 1);
        }
        if (system) push(0, n);
    }

    template <class Unit>
    static bool begins_address(const Unit* text, std::size_t n, std::size_t chunk, std::size_t i) {
        const char32_t c = static_cast<char32_t>(text[i]);
        if (c == '@') return true;
        if (c == ':') return i + 2 < n && text[i + 1] == '/' && text[i + 2] == '/';
        return c == '.' && i == chunk + 3 && (text[chunk] | 32) == 'w' && (text[chunk + 1] | 32) == 'w' && (text[chunk + 2] | 32) == 'w';
    }

    // Whether a character belongs to programs: one of these signs, a bracket after a letter, or a dot between letters.
    template <class Unit>
    bool is_sign(const Unit* text, std::size_t n, std::size_t i) const {
        const char32_t c = static_cast<char32_t>(text[i]);
        if (c >= 0x80) return false;
        if (c == '(' || c == '.') {
            const bool after = i && table_.find(static_cast<char32_t>(text[i - 1]));
            return after && i + 1 < n && (c == '(' || table_.find(static_cast<char32_t>(text[i + 1])));
        }
        return Bytes("{}[]<>=;|\\_*&^%$#~/+`").find(static_cast<char>(c)) != Bytes::npos;
    }

    // The place of the end of a word is that of the first character after it.
    void push(Letter letter, std::size_t place) {
        letters_[n_] = letter;
        if (tracked_) places_[n_] = place;
        ++n_;
    }

    const LetterTable& table_;
    const bool tracked_;
    Words words_;
    std::size_t n_ = 0;
    std::vector<Letter> letters_;
    std::vector<std::size_t> places_;
    std::vector<char32_t> codes_;
};

}  // namespace tercet
