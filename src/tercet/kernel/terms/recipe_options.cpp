#include "terms/recipe_options.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "base/choices.hpp"
#include "terms/listing.hpp"
#include "text/neutral.hpp"

namespace tercet {

namespace {

using Words = RecipeOptions::Words;

const std::map<std::string, Html> html_choices{{"keep", Html::keep}, {"strip", Html::strip}};
const std::map<std::string, Treatment> treatments{{"keep", Treatment::keep}, {"group", Treatment::group}, {"delete", Treatment::remove}};
const std::map<std::string, bool> punctuation_choices{{"keep", true}, {"delete", false}};
const std::map<std::string, Form> forms{{"none", Form::none}, {"nfc", Form::nfc}, {"nfkc", Form::nfkc}, {"nfd", Form::nfd}};
const std::map<std::string, Tokens> token_kinds{{"words", Tokens::words},
                                                {"words_and_marks", Tokens::words_and_marks},
                                                {"regex_words", Tokens::regex_words},
                                                {"tweet_words", Tokens::tweet_words},
                                                {"treebank", Tokens::treebank},
                                                {"whitespace", Tokens::whitespace},
                                                {"characters", Tokens::characters},
                                                {"bytes", Tokens::bytes}};
const std::map<std::string, Over> overs{{"text", Over::text},
                                        {"words", Over::words},
                                        {"bytes", Over::bytes},
                                        {"marked_text", Over::marked_text},
                                        {"word_bytes", Over::word_bytes}};

void require(bool fits, const char* what) {
    if (!fits) throw std::invalid_argument(what);
}

// Lengths from ranges that are in order and do not overlap.
Lengths make_lengths(const RecipeOptions::Ranges& ranges) {
    Lengths lengths;
    for (const auto& [low, high] : ranges) {
        require(low >= 1 && high >= low && low > lengths.high, "lengths of n-grams must be 1 <= low <= high, and in order");
        if (lengths) {
            require(low - lengths.high <= 1000, "lengths of n-grams must not lie so far apart");
            for (int n = lengths.high + 1; n < low; ++n) lengths.left_out.push_back(n);
        } else {
            lengths.low = low;
        }
        lengths.high = high;
    }
    return lengths;
}

SkipGram make_skip_gram(int size, int gap) {
    require(size >= 2 && gap >= 1 && size <= 1000 && gap <= 1000, "a skip-gram has 2 words or more, with a gap of 1 or more");
    return {size, gap};
}

// Lists have words as people write them. This finds the tokens that a recipe makes of such an entry.
class EntrySplitter {
  public:
    explicit EntrySplitter(const Recipe& recipe) : recipe_(recipe) {
        recipe_.min_token_length = 1;
        Steps& steps = recipe_.steps;  // nothing in an entry is replaced by a placeholder
        steps.emoticons = steps.emoji = steps.hashtags = steps.numbers = steps.urls = steps.users = Treatment::keep;
    }

    // The tokens of an entry.
    std::vector<std::string> tokens(const std::string& entry) const {
        std::vector<std::string> result;
        for (Occurrence& token : list_whole(entry)) result.push_back(std::move(token.spelling));
        return result;
    }

    // The tokens of all entries. An entry that the tokenizer splits gives all its tokens. In a script without spaces tokens overlap;
    // then only a token that is the whole entry counts.
    WordSet all_tokens(const Words& entries) const {
        WordSet words;
        for (const std::string& entry : entries)
            for (const std::string& spelling : spellings(entry)) add_tokens(spelling, words);
        return words;
    }

    // The same for the entries that are a single token.
    WordSet single_tokens(const Words& entries) const {
        Words single;
        for (const std::string& entry : entries)
            if (tokens(entry).size() == 1) single.push_back(entry);
        return all_tokens(single);
    }

    // An entry with each kind of apostrophe.
    static Words spellings(const std::string& entry) {
        std::string curly;
        for (char c : entry) c == '\'' ? curly.append("’") : curly.append(1, c);
        return {entry, curly};
    }

  private:
    // If the tokens do not cover the start and the end of the entry, the result is empty. Otherwise :3 would match any 3.
    std::vector<Occurrence> list_whole(const std::string& entry) const {
        std::vector<Occurrence> tokens = list_tokens(recipe_, entry);
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

    Recipe recipe_;
};

// Whether an entry is a prefix: happi*. The star of :* is part of the emoticon.
bool ends_in_star(const std::string& entry) {
    if (entry.size() < 2 || entry.back() != '*') return false;
    std::size_t last = entry.size() - 2;
    while (last && continues(entry[last])) --last;
    const char* p = entry.data() + last;
    return is(read_character(p), property::word | property::mark);
}

std::shared_ptr<const TokenRules> make_rules(const Recipe& recipe, const RecipeOptions& options) {
    if (!options.stop_words && !options.kept_words && !options.negation && options.lexicon.empty() && !options.find_forms) return nullptr;
    auto rules = std::make_shared<TokenRules>();
    const EntrySplitter splitter(recipe);
    if (options.stop_words) rules->stop_words = splitter.all_tokens(*options.stop_words);
    rules->stops_forms = options.stops_forms && options.find_forms;
    if (options.kept_words) rules->kept_words = splitter.all_tokens(*options.kept_words);
    if (options.negation) {
        rules->negation = splitter.single_tokens(*options.negation);
        rules->nt_negates = std::find(options.negation->begin(), options.negation->end(), "n't") != options.negation->end();
    }
    for (std::size_t list = 0; list < options.lexicon.size(); ++list)
        for (const std::string& entry : options.lexicon[list])
            for (const std::string& spelling : EntrySplitter::spellings(entry)) {
                const bool is_prefix = ends_in_star(spelling);
                rules->lexicon.add(splitter.tokens(spelling.substr(0, spelling.size() - is_prefix)), is_prefix, static_cast<Id>(list));
            }
    rules->lexicon.connect_prefixes();
    rules->n_lists = options.lexicon.size();
    rules->find_forms = options.find_forms;
    if (options.find_forms) rules->known_forms = std::make_shared<KnownForms>();
    return rules;
}

}  // namespace

Recipe make_recipe(const RecipeOptions& options) {
    Recipe recipe;
    require(options.max_repeats.value_or(1) >= 1, "max_repeats must be >= 1");
    recipe.steps = {.html = choose(html_choices, options.html),
                    .emoticons = choose(treatments, options.emoticons),
                    .emoji = choose(treatments, options.emoji),
                    .hashtags = choose(treatments, options.hashtags),
                    .numbers = choose(treatments, options.numbers),
                    .urls = choose(treatments, options.urls),
                    .users = choose(treatments, options.users),
                    .max_repeats = options.max_repeats.value_or(0),
                    .punctuation = choose(punctuation_choices, options.punctuation)};
    recipe.form = choose(forms, options.form);
    recipe.lowercase = options.lowercase;
    recipe.strip_marks = options.strip_marks;
    recipe.tokens = choose(token_kinds, options.tokens);
    recipe.rules = make_rules(recipe, options);  // after the options above, which decide the tokens of an entry
    recipe.min_token_length = options.min_token_length;
    recipe.header_fields = options.header_fields;
    if (options.neutral) recipe.neutral = std::make_shared<NeutralWords>(recipe, *options.neutral);
    recipe.word_ngrams = make_lengths(options.word_ngrams);
    recipe.char_ngrams = make_lengths(options.char_ngrams);
    recipe.char_ngrams_over = choose(overs, options.char_ngrams_over);
    for (const auto& [size, gap] : options.skip_grams) recipe.skip_grams.push_back(make_skip_gram(size, gap));
    recipe.features = options.features;
    require(2 * options.lexicon.size() <= options.features.size(), "each list of a lexicon needs two names");
    if (options.find_marks) recipe.marker = std::make_shared<Marker>(options.find_marks);
    recipe.keeps_marked = options.keeps_marked;
    for (const auto& [prefix, is_category] : options.columns) recipe.columns.push_back({prefix, is_category});
    return recipe;
}

}  // namespace tercet
