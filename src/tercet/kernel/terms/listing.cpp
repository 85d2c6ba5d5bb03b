#include "terms/listing.hpp"

#include "terms/analysis.hpp"

namespace tercet {

namespace {

// Gives every occurrence its own number, so that each keeps its own place.
struct Listing {
    explicit Listing(const Analysis& own) : analysis(own) {}
    static constexpr bool repeats = false, remembers = false, groups = false;
    const Analysis& analysis;
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
    Span move(Span span) const {
        const Span own = analysis.locate(span);
        return {start + own.start, start + own.end};
    }
    Id add(Kind kind, std::vector<Occurrence>& list, const Text& text, std::size_t begin, std::size_t end) {
        list.push_back({kind, text.bytes.substr(begin, end - begin), {move(text.source(begin, end))}});
        return static_cast<Id>(list.size() - 1);
    }
};

}  // namespace

std::vector<Occurrence> list_terms(const Recipe& recipe, const std::string& text) {
    Analysis analysis(recipe, true);
    analysis.input() = text;
    Listing listing(analysis);
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

std::vector<Span> list_neutral(const Recipe& recipe, const std::string& text) {
    std::vector<Span> result;
    if (!recipe.neutral) return result;
    Neutralizer neutralizer(*recipe.neutral);
    const auto add = [&](std::size_t begin, Bytes part) {
        if (!neutralizer.run(part)) return;
        const std::size_t start = count_characters(Bytes(text).substr(0, begin));
        for (const Span& span : neutralizer.sources()) result.push_back({start + span.start, start + span.end});
    };
    if (recipe.columns.empty()) add(0, text);
    else
        each_part(text, recipe.columns.size(), [&](std::size_t column, std::size_t begin, Bytes part) {
            if (!recipe.columns[column].is_category) add(begin, part);
        });
    return result;
}

}  // namespace tercet
