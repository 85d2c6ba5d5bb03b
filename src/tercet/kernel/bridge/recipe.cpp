// Recipe: its options, the Python functions that it calls, and the tokens and terms of one text.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "bridge/gil.hpp"
#include "bridge/module.hpp"
#include "bridge/texts.hpp"
#include "terms/listing.hpp"
#include "terms/recipe_options.hpp"
#include "terms/spelling.hpp"

namespace tercet {

namespace {

using Ranges = RecipeOptions::Ranges;
using WordObjects = std::vector<nb::str>;
using ColumnObjects = std::vector<std::pair<nb::str, bool>>;
using OptionalWords = std::optional<WordObjects>;
using FindFormsObject = nb::typed<nb::callable, nb::object(Strings)>;
using FindMarksObject = nb::typed<nb::callable, nb::object(nb::str)>;
using PlainSpan = std::pair<std::size_t, std::size_t>;

// A Python function that any thread may release. When Python exits it is not released at all.
std::shared_ptr<nb::callable> share(const nb::callable& function) {
    return {new nb::callable(function), [](nb::callable* p) {
                if (PythonExit::get().stops_this_thread()) return;
                const GilTaken locked;
                delete p;
            }};
}

FindForms ask_forms(const nb::callable& function) {
    return [function = share(function)](const std::vector<std::string>& tokens) {
        const GilTaken locked;
        Strings words;
        for (const std::string& token : tokens) words.append(make_str(token));
        const nb::object answer = call_python([&] { return (*function)(words); });
        std::vector<std::string> forms;
        for (nb::handle form : answer) forms.push_back(form.is_none() ? std::string() : bytes_of(nb::cast<nb::str>(form)));
        return forms;
    };
}

Marker ask_marks(const nb::callable& function) {
    return [function = share(function)](const std::string& text) {
        const GilTaken locked;
        using Hits = std::vector<std::tuple<std::size_t, std::size_t, std::size_t>>;
        const nb::str words = make_str(text);
        const nb::object answer = call_python([&] { return (*function)(words); });
        const auto [hits, kept] = nb::cast<std::pair<Hits, std::vector<PlainSpan>>>(answer);
        Marks marks;
        for (const auto& [feature, start, end] : hits) marks.hits.push_back({feature, {start, end}});
        for (const auto& [start, end] : kept) marks.kept.push_back({start, end});
        return marks;
    };
}

std::vector<std::string> read_words(const WordObjects& words) {
    std::vector<std::string> result;
    for (const nb::str& word : words) result.push_back(bytes_of(word));
    return result;
}
std::optional<std::vector<std::string>> read_words(const OptionalWords& words) {
    return words ? std::optional(read_words(*words)) : std::nullopt;
}

void init_recipe(Recipe* self, const std::string& html, const std::string& form, const std::string& emoticons, const std::string& emoji,
                 const std::string& hashtags, const std::string& numbers, const std::string& urls, const std::string& users, bool lowercase,
                 bool strip_marks, std::optional<int> max_repeats, const std::string& punctuation, const std::string& tokens, int min_token_length,
                 bool header_fields, const Ranges& word_ngrams, const Ranges& skip_grams, const Ranges& char_ngrams,
                 const std::string& char_ngrams_over, const OptionalWords& neutral, const OptionalWords& stop_words, bool stops_forms,
                 const OptionalWords& kept_words, const OptionalWords& negation, const std::vector<WordObjects>& lexicon,
                 const std::optional<FindFormsObject>& find_forms, const std::optional<FindMarksObject>& find_marks, bool keeps_marked,
                 const WordObjects& features, const ColumnObjects& columns) {
    RecipeOptions options{.html = html,
                          .form = form,
                          .emoticons = emoticons,
                          .emoji = emoji,
                          .hashtags = hashtags,
                          .numbers = numbers,
                          .urls = urls,
                          .users = users,
                          .lowercase = lowercase,
                          .strip_marks = strip_marks,
                          .max_repeats = max_repeats,
                          .punctuation = punctuation,
                          .tokens = tokens,
                          .min_token_length = min_token_length,
                          .header_fields = header_fields,
                          .word_ngrams = word_ngrams,
                          .skip_grams = skip_grams,
                          .char_ngrams = char_ngrams,
                          .char_ngrams_over = char_ngrams_over,
                          .neutral = read_words(neutral),
                          .stop_words = read_words(stop_words),
                          .kept_words = read_words(kept_words),
                          .negation = read_words(negation),
                          .stops_forms = stops_forms,
                          .keeps_marked = keeps_marked,
                          .features = read_words(features)};
    for (const auto& [prefix, is_category] : columns) options.columns.emplace_back(bytes_of(prefix), is_category);
    for (const WordObjects& list : lexicon) options.lexicon.push_back(read_words(list));
    if (find_forms) options.find_forms = ask_forms(*find_forms);
    if (find_marks) options.find_marks = ask_marks(*find_marks);
    new (self) Recipe(make_recipe(options));
}

auto list_tokens_of(const Recipe& recipe, const nb::str& text) {
    std::vector<std::tuple<nb::str, std::size_t, std::size_t>> result;
    for (const Occurrence& o : list_tokens(recipe, bytes_of(text))) {
        std::string spelling;
        if (is_raw(recipe, o.kind)) append_escaped(spelling, o.spelling);
        else spelling = o.spelling;
        result.emplace_back(make_str(spelling), o.spans[0].start, o.spans[0].end);
    }
    return result;
}

auto list_terms_of(const Recipe& recipe, const nb::str& text) {
    std::vector<std::pair<nb::str, std::vector<PlainSpan>>> result;
    for (const Occurrence& o : list_terms(recipe, bytes_of(text))) {
        std::vector<PlainSpan> spans;
        for (const Span& span : o.spans) spans.emplace_back(span.start, span.end);
        result.emplace_back(make_str(write_term(recipe, o.kind, o.spelling)), std::move(spans));
    }
    return result;
}

std::vector<PlainSpan> list_neutral_of(const Recipe& recipe, const nb::str& text) {
    std::vector<PlainSpan> result;
    for (const Span& span : list_neutral(recipe, bytes_of(text))) result.emplace_back(span.start, span.end);
    return result;
}

}  // namespace

void bind_recipe(nb::module_& m) {
    nb::list single_words;
    single_words.append(nb::make_tuple(1, 1));
    nb::class_<Recipe>(m, "Recipe")
        .def("__init__", &init_recipe, nb::kw_only(), "html"_a = "keep", "form"_a = "nfc", "emoticons"_a = "keep", "emoji"_a = "keep",
             "hashtags"_a = "keep", "numbers"_a = "keep", "urls"_a = "keep", "users"_a = "keep", "lowercase"_a = true,
             "strip_marks"_a = false, "max_repeats"_a.none() = nb::none(), "punctuation"_a = "keep",
             "tokens"_a = "words", "min_token_length"_a = 1, "header_fields"_a = false,
             "word_ngrams"_a = single_words, "skip_grams"_a = nb::tuple(), "char_ngrams"_a = nb::tuple(),
             "char_ngrams_over"_a = "text", "neutral"_a.none() = nb::none(), "stop_words"_a.none() = nb::none(),
             "stops_forms"_a = false, "kept_words"_a.none() = nb::none(),
             "negation"_a.none() = nb::none(), "lexicon"_a = nb::tuple(), "find_forms"_a.none() = nb::none(),
             "find_marks"_a.none() = nb::none(), "keeps_marked"_a = false, "features"_a = nb::tuple(),
             "columns"_a = nb::tuple())
        .def("list_tokens", &list_tokens_of, "text"_a)
        .def("list_terms", &list_terms_of, "text"_a)
        .def("list_neutral", &list_neutral_of, "text"_a);
}

}  // namespace tercet
