// The recipe for Python: its options, the questions it asks in Python, and the tokens and terms of one text.
#include "bridge/arrays.hpp"

#include "terms/listing.hpp"

using namespace tercet;

namespace {

using Range = std::pair<int, int>;
using Words = std::optional<std::vector<nb::str>>;
using FindForms = nb::typed<nb::callable, nb::object(Strings)>;
using FindMarks = nb::typed<nb::callable, nb::object(nb::str)>;
using PlainSpan = std::pair<std::size_t, std::size_t>;

Lengths make_lengths(const std::vector<Range>& ranges) {
    Lengths lengths;
    for (const auto& [low, high] : ranges) {
        if (low < 1 || high < low || low <= lengths.high) throw nb::value_error("lengths of n-grams must be 1 <= low <= high, and in order");
        if (!lengths) lengths.low = low;
        else if (low - lengths.high > 1000) throw nb::value_error("lengths of n-grams must not lie so far apart");
        else for (int n = lengths.high + 1; n < low; ++n) lengths.left_out.push_back(n);
        lengths.high = high;
    }
    return lengths;
}

// A Python function may be let go by any thread.
std::shared_ptr<nb::callable> share(const nb::callable& function) {
    return {new nb::callable(function), [](nb::callable* p) {
                const nb::gil_scoped_acquire locked;
                delete p;
            }};
}

auto ask_forms(const nb::callable& function) {
    return [function = share(function)](const std::vector<std::string>& tokens) {
        const nb::gil_scoped_acquire locked;
        Strings words;
        for (const std::string& token : tokens) words.append(make_str(token));
        const nb::object answer = (*function)(words);
        std::vector<std::string> forms;
        for (nb::handle form : answer) forms.push_back(form.is_none() ? std::string() : bytes_of(nb::cast<nb::str>(form)));
        return forms;
    };
}

Marker ask_marks(const nb::callable& function) {
    return [function = share(function)](const std::string& text) {
        const nb::gil_scoped_acquire locked;
        using Hits = std::vector<std::tuple<std::size_t, std::size_t, std::size_t>>;
        const auto [hits, kept] = nb::cast<std::pair<Hits, std::vector<PlainSpan>>>((*function)(make_str(text)));
        Marks marks;
        for (const auto& [feature, start, end] : hits) marks.hits.push_back({feature, {start, end}});
        for (const auto& [start, end] : kept) marks.kept.push_back({start, end});
        return marks;
    };
}

// Word lists and lexicons say how words are written; these are the tokens that the recipe makes of them.
class TokenMaker {
  public:
    explicit TokenMaker(const Recipe& recipe) : plain_(recipe) {
        plain_.min_token_length = 1;
        Steps& steps = plain_.steps;  // an entry is no text: nothing in it is grouped
        steps.emoticons = steps.emoji = steps.hashtags = steps.numbers = steps.urls = steps.users = Treatment::keep;
    }

    std::vector<std::string> tokens(const std::string& entry) const {
        std::vector<std::string> result;
        for (Occurrence& token : list_whole(entry)) result.push_back(std::move(token.spelling));
        return result;
    }
    // A word that the tokenizer takes apart is all of its tokens; in a script without spaces it is itself, or none.
    WordSet all_tokens(const std::vector<nb::str>& entries) const {
        WordSet words;
        for (const nb::str& entry : entries)
            for (const std::string& spelling : spellings(entry)) add_tokens(spelling, words);
        return words;
    }
    WordSet single_tokens(const std::vector<nb::str>& entries) const {
        std::vector<nb::str> single;
        for (const nb::str& entry : entries)
            if (tokens(bytes_of(entry)).size() == 1) single.push_back(entry);
        return all_tokens(single);
    }
    // With either kind of apostrophe.
    static std::vector<std::string> spellings(const nb::str& entry) {
        std::string straight = bytes_of(entry), curly;
        for (char c : straight) c == '\'' ? curly.append("’") : curly.append(1, c);
        return {straight, curly};
    }

  private:
    // The tokens of an entry. None, where they leave out its beginning or end: without its eyes, the face :3 would be any 3.
    std::vector<Occurrence> list_whole(const std::string& entry) const {
        std::vector<Occurrence> tokens = list_tokens(plain_, entry);
        const bool is_whole = !tokens.empty() && tokens.front().spans[0].start == 0 && tokens.back().spans[0].end == count_characters(entry);
        return is_whole ? std::move(tokens) : std::vector<Occurrence>();
    }

    void add_tokens(const std::string& entry, WordSet& words) const {
        const std::vector<Occurrence> tokens = list_whole(entry);
        bool overlap = false;
        for (std::size_t i = 1; i < tokens.size(); ++i) overlap = overlap || tokens[i].spans[0].start < tokens[i - 1].spans[0].end;
        for (const Occurrence& token : tokens)
            if (!overlap || token.spans[0].end - token.spans[0].start == count_characters(entry)) words.add(token.spelling);
    }

    Recipe plain_;
};

using Lists = std::vector<std::vector<nb::str>>;

std::shared_ptr<TokenRules> make_rules(const Recipe& recipe, const Words& stop_words, const Words& kept_words, const Words& negation,
                                       const Lists& lexicon, const std::optional<FindForms>& find_forms) {
    if (!stop_words && !kept_words && !negation && lexicon.empty() && !find_forms) return nullptr;
    auto rules = std::make_shared<TokenRules>();
    const TokenMaker maker(recipe);
    if (stop_words) rules->stop_words = maker.all_tokens(*stop_words);
    if (kept_words) rules->kept_words = maker.all_tokens(*kept_words);
    if (negation) rules->negation = maker.single_tokens(*negation);
    if (negation) rules->nt_negates = std::any_of(negation->begin(), negation->end(), [](const nb::str& w) { return bytes_of(w) == "n't"; });
    for (std::size_t list = 0; list < lexicon.size(); ++list)
        for (const nb::str& entry : lexicon[list])
            for (const std::string& spelling : TokenMaker::spellings(entry)) rules->lexicon.add(maker.tokens(spelling), static_cast<Id>(list));
    rules->n_lists = lexicon.size();
    if (find_forms) rules->find_forms = ask_forms(*find_forms);
    if (find_forms) rules->known_forms = std::make_shared<KnownForms>();
    return rules;
}

const std::map<std::string, Form> forms = {{"none", Form::none}, {"nfc", Form::nfc}, {"nfkc", Form::nfkc}, {"nfd", Form::nfd}};
const std::map<std::string, Tokens> token_kinds = {{"words", Tokens::words},
                                                   {"words_and_marks", Tokens::words_and_marks},
                                                   {"regex_words", Tokens::regex_words},
                                                   {"tweet_words", Tokens::tweet_words},
                                                   {"treebank", Tokens::treebank},
                                                   {"whitespace", Tokens::whitespace},
                                                   {"characters", Tokens::characters},
                                                   {"bytes", Tokens::bytes}};
const std::map<std::string, Over> overs = {{"text", Over::text},
                                           {"words", Over::words},
                                           {"bytes", Over::bytes},
                                           {"marked_text", Over::marked_text},
                                           {"word_bytes", Over::word_bytes}};

Treatment choose_treatment(const std::string& name) {
    return choose<Treatment>({{"keep", Treatment::keep}, {"group", Treatment::group}, {"delete", Treatment::remove}}, name);
}

void make_recipe(Recipe* self, const std::string& html, const std::string& form, const std::string& emoticons, const std::string& emoji,
                 const std::string& hashtags, const std::string& numbers, const std::string& urls, const std::string& users, bool lowercase,
                 bool strip_marks, std::optional<int> max_repeats, const std::string& punctuation, const std::string& tokens, int min_token_length,
                 bool header_fields, const std::vector<Range>& word_ngrams, const std::vector<Range>& skip_grams,
                 const std::vector<Range>& char_ngrams, const std::string& char_ngrams_over, const Words& stop_words, const Words& kept_words,
                 const Words& negation, const Lists& lexicon, const std::optional<FindForms>& find_forms,
                 const std::optional<FindMarks>& find_marks, bool keeps_marked, const std::vector<nb::str>& features) {
    Recipe recipe;
    expect(max_repeats.value_or(1) >= 1, "max_repeats must be >= 1");
    recipe.steps = {.html = choose<Html>({{"keep", Html::keep}, {"strip", Html::strip}}, html),
                    .emoticons = choose_treatment(emoticons),
                    .emoji = choose_treatment(emoji),
                    .hashtags = choose_treatment(hashtags),
                    .numbers = choose_treatment(numbers),
                    .urls = choose_treatment(urls),
                    .users = choose_treatment(users),
                    .max_repeats = max_repeats.value_or(0),
                    .punctuation = choose<bool>({{"keep", true}, {"delete", false}}, punctuation)};
    recipe.form = choose(forms, form);
    recipe.lowercase = lowercase;
    recipe.strip_marks = strip_marks;
    recipe.tokens = choose(token_kinds, tokens);
    recipe.rules = make_rules(recipe, stop_words, kept_words, negation, lexicon, find_forms);
    recipe.min_token_length = min_token_length;
    recipe.header_fields = header_fields;
    recipe.word_ngrams = make_lengths(word_ngrams);
    recipe.char_ngrams = make_lengths(char_ngrams);
    recipe.char_ngrams_over = choose(overs, char_ngrams_over);
    for (const auto& [size, gap] : skip_grams) {
        expect(size >= 2 && gap >= 1 && size <= 1000 && gap <= 1000, "a skip-gram has 2 words or more, with a gap of 1 or more");
        recipe.skip_grams.push_back({size, gap});
    }
    for (const nb::str& name : features) recipe.features.push_back(bytes_of(name));
    expect(2 * lexicon.size() <= features.size(), "each list of a lexicon needs two names");
    if (find_marks) recipe.marker = std::make_shared<Marker>(ask_marks(*find_marks));
    recipe.keeps_marked = keeps_marked;
    new (self) Recipe(std::move(recipe));
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

}  // namespace

void tercet::bind_recipe(nb::module_& m) {
    nb::list single_words;
    single_words.append(nb::make_tuple(1, 1));
    nb::class_<Recipe>(m, "Recipe")
        .def("__init__", &make_recipe, nb::kw_only(), "html"_a = "keep", "form"_a = "nfc", "emoticons"_a = "keep", "emoji"_a = "keep",
             "hashtags"_a = "keep", "numbers"_a = "keep", "urls"_a = "keep", "users"_a = "keep", "lowercase"_a = true,
             "strip_marks"_a = false, "max_repeats"_a.none() = nb::none(), "punctuation"_a = "keep",
             "tokens"_a = "words", "min_token_length"_a = 1, "header_fields"_a = false,
             "word_ngrams"_a = single_words, "skip_grams"_a = nb::tuple(), "char_ngrams"_a = nb::tuple(),
             "char_ngrams_over"_a = "text", "stop_words"_a.none() = nb::none(), "kept_words"_a.none() = nb::none(),
             "negation"_a.none() = nb::none(), "lexicon"_a = nb::tuple(), "find_forms"_a.none() = nb::none(),
             "find_marks"_a.none() = nb::none(), "keeps_marked"_a = false, "features"_a = nb::tuple())
        .def("list_tokens", &list_tokens_of, "text"_a)
        .def("list_terms", &list_terms_of, "text"_a);
}
