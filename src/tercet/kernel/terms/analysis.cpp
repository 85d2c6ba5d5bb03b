#include "terms/analysis.hpp"

namespace tercet {

static const TokenRules& no_rules() {
    static const TokenRules& rules = *new TokenRules;  // never destroyed: threads may use it while the process exits
    return rules;
}

Analysis::Analysis(const Recipe& recipe, bool tracked)
    : recipe_(recipe), tracked_(tracked), rules_(recipe.rules ? *recipe.rules : no_rules()), normalizer_(recipe) {
    form_.tracked = tracked;
    if (recipe.neutral) neutralizer_.emplace(*recipe.neutral);
    is_plain_ = !recipe.rules && !recipe.keeps_marked && !recipe.header_fields;
    const auto add = [&](Bytes prefix, bool is_category) {
        is_plain_ = is_plain_ && (is_category || prefix.empty());
        const Meanings meanings(rules_, static_cast<std::size_t>(recipe.min_token_length));
        columns_.push_back({prefix, is_category, meanings, CharacterNgrams(recipe, tracked, prefix)});
    };
    for (const Column& column : recipe.columns) add(column.prefix, column.is_category);
    if (recipe.columns.empty()) add("", false);
}

// Replace the listed words of the part in input(). The value of a category stays as it is.
void Analysis::replace_neutral(const OfColumn& own) {
    if (!neutralizer_) return;
    if (own.is_category) return neutralizer_->clear();
    if (neutralizer_->run(normalizer_.given())) input() = neutralizer_->text();
}

void Analysis::prepare(OfColumn& own, Prepared& prepared) {
    replace_neutral(own);
    if (own.is_category) return void(prepared.given = normalizer_.given());
    if (recipe_.marker) prepared.marks = (*recipe_.marker)(normalizer_.given());
    if (recipe_.header_fields) prepared.header = HeaderReader::read(normalizer_.given());
    prepare_normalizer(prepared);
    if (is_spaced() && recipe_.char_ngrams) prepared.given = normalizer_.given();
    normalizer_.run(is_spaced());
    normalizer_.swap(prepared.text);
    prepared.met.clear();
    const auto meet = [&](const Token& token) {
        prepared.met.push_back({token, own.meanings.intern(prepared.text.part(token.begin, token.end))});
    };
    each_token(recipe_, prepared.text.bytes, meet, 1);  // short tokens too: they may be negation words or part of a phrase
}

void Analysis::prepare_normalizer(const Prepared& prepared) {
    normalizer_.prepare(tracked_ || recipe_.keeps_marked || prepared.header.size, prepared.header.size);
}

void Analysis::mark_negated(OfColumn& own, Prepared& prepared) {
    const Text& text = prepared.text;
    NegationScope scope(text.bytes, rules_.nt_negates);
    FieldOfPlace fields(prepared.header.fields);
    for (Met& met : prepared.met) {
        const std::size_t last_field = fields.number();
        fields.go_to(text.source(met.token.begin, met.token.end).start);
        if (fields.number() != last_field) scope.leave();
        met.negated = scope.next(met.token, own.meanings[met.id].negates);
    }
}

void Analysis::find_in_lexicon(OfColumn& own, const Prepared& prepared) {
    const Text& text = prepared.text;
    Lexicon::Search search(rules_.lexicon);
    for (std::size_t i = 0; i < prepared.met.size(); ++i) {
        const Id word = own.meanings[prepared.met[i].id].in_lexicon;
        if (word == none && !search.is_open()) continue;
        const Token& token = prepared.met[i].token;
        const std::size_t gap = search.is_open() ? prepared.met[i - 1].token.end : token.begin;
        if (gap < token.begin && has_border(text.part(gap, token.begin))) search.close();
        search.next(word, i, [&](Id list, std::size_t first) {
            const std::size_t feature = prepared.met[first].negated ? rules_.n_lists + list : list;
            lexicon_hits_.push_back({feature, text.source(prepared.met[first].token.begin, token.end)});
        });
    }
}

}  // namespace tercet
