#include "terms/listing.hpp"

#include "terms/analysis.hpp"

namespace tercet {

namespace {

// Gives every occurrence its own number, so that each keeps its own place.
struct Listing {
    static constexpr bool repeats = false, groups = false;
    std::size_t start = 0;  // of the column, in characters
    std::vector<Occurrence> words{}, ngrams{}, characters{}, features{}, terms{};

    Id word(const Text& text, const Token& token) { return add(Kind::word, words, text, token.begin, token.end); }
    Id character(const Text& text, std::size_t begin, std::size_t end) { return add(Kind::character, characters, text, begin, end); }
    Id feature(Bytes name, Span span) {
        features.push_back({Kind::feature, std::string(name), {move(span)}});
        return static_cast<Id>(features.size() - 1);
    }
    Id ngram(Id parent, Id token) {
        Occurrence joined = parent & ngram_bit ? ngrams[parent & ~ngram_bit] : words[parent];
        joined.kind = Kind::ngram;
        joined.spelling += ' ' + words[token].spelling;
        joined.spans.push_back(words[token].spans[0]);
        ngrams.push_back(std::move(joined));
        return static_cast<Id>(ngrams.size() - 1) | ngram_bit;
    }
    void prefetch_ngram(Id, Id) const {}
    void prefetch_count(Kind, Id) const {}
    void count(Kind kind, Id id, std::uint32_t = 1) {
        switch (kind) {
            case Kind::word: return terms.push_back(words[id]);
            case Kind::ngram: return terms.push_back(ngrams[id]);
            case Kind::character: return terms.push_back(characters[id]);
            case Kind::feature: return terms.push_back(features[id]);
        }
    }

  private:
    Span move(Span span) const { return {start + span.start, start + span.end}; }
    Id add(Kind kind, std::vector<Occurrence>& list, const Text& text, std::size_t begin, std::size_t end) {
        list.push_back({kind, text.bytes.substr(begin, end - begin), {move(text.source(begin, end))}});
        return static_cast<Id>(list.size() - 1);
    }
};

}  // namespace

std::vector<Occurrence> list_terms(const Recipe& recipe, const std::string& text) {
    Analysis analysis(recipe, true);
    analysis.input() = text;
    Listing listing;
    analysis.run(listing, [&](std::size_t begin) { listing.start = count_characters(Bytes(text).substr(0, begin)); });
    return std::move(listing.terms);
}

std::vector<Occurrence> list_tokens(Recipe recipe, const std::string& text) {
    recipe.word_ngrams = {1, 1};
    recipe.char_ngrams = {};
    recipe.skip_grams = {};
    std::vector<Occurrence> terms = list_terms(recipe, text);
    std::erase_if(terms, [](const Occurrence& term) { return term.kind != Kind::word; });
    return terms;
}

}  // namespace tercet
