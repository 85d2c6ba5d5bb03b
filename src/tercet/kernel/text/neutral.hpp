// Neutral words: the listed words of a text are replaced by one placeholder before all other steps. So texts that differ only in listed
// words are the same text for everything that comes after: n-grams, character n-grams, patterns, tags.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/hash_table.hpp"
#include "text/normalize.hpp"
#include "text/recipe.hpp"

namespace tercet {

// The listed words, and the recipe that finds them.
class NeutralWords {
  public:
    static constexpr Bytes placeholder = "_neutral";
    static constexpr std::size_t most_parts = 16;  // of an entry: African-American has two

    // Words are compared in lower case, whatever the recipe does, and otherwise as the recipe writes words.
    NeutralWords(const Recipe& recipe, const std::vector<std::string>& words);

    const Recipe& recipe() const { return recipe_; }
    std::size_t longest() const { return longest_; }  // in parts
    // Whether this is a listed word. It must be in lower case.
    bool has(Bytes word, bool is_ascii) const;

  private:
    Recipe recipe_;
    StringTable words_;
    std::size_t longest_ = 0;
    std::array<std::uint64_t, 256> lengths_{};  // for each first byte, the bits of the lengths in bytes: most words need no search
};

// Replaces the listed words of texts, one text after another.
class Neutralizer {
  public:
    explicit Neutralizer(const NeutralWords& words) : words_(words), normalizer_(words.recipe()) {}

    // Whether a text has listed words. Then `text` is the text with placeholders.
    bool run(Bytes given);
    const std::string& text() const { return text_; }

    // Forget the listed words: the next places are those of a text without any.
    void clear() { sources_.clear(); }
    // The places of the listed words in the given text.
    const std::vector<Span>& sources() const { return sources_; }
    // The place in the given text of a part of `text`. A part of a placeholder comes from the whole word.
    Span locate(Span span) const { return {locate(span.start, false), locate(span.end, true)}; }

  private:
    bool replace(Bytes given, std::size_t no_html);  // the first bytes are not HTML
    void find(const Text& text);
    void write(Bytes given);
    const char* skip(const char* p, std::size_t n_characters) const;
    std::size_t locate(std::size_t place, bool is_end) const;

    const NeutralWords& words_;
    Normalizer normalizer_;
    bool is_ascii_ = true;  // the given text
    std::string text_;
    std::vector<Span> sources_;
    std::vector<std::size_t> begins_;  // of the placeholders, in characters of `text`
    std::vector<std::pair<std::size_t, std::size_t>> parts_;  // begin and end of each word of the last text
};

}  // namespace tercet
