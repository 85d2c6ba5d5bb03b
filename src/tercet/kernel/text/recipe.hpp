// The recipe from a text to its terms: plain data, and two functions from outside (word forms, marks).
#pragma once
#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "text/text.hpp"

namespace tercet {

struct TokenRules;
class NeutralWords;

enum class Form { none, nfc, nfkc, nfd };
enum class Tokens { words, words_and_marks, regex_words, tweet_words, treebank, whitespace, characters, bytes };
enum class Over { text, words, bytes, marked_text, word_bytes };

// The lengths of n-grams. If high is 0, there are no n-grams.
struct Lengths {
    int low = 0;
    int high = 0;
    std::vector<int> left_out{};  // lengths between low and high that are not counted
    explicit operator bool() const { return high > 0; }
    bool has(int n) const { return low <= n && n <= high && std::find(left_out.begin(), left_out.end(), n) == left_out.end(); }
};

struct SkipGram {
    int size;
    int gap;  // number of tokens that are skipped between two words
};

// The matches of patterns and the parts of speech that a Python function finds in the original text.
struct Marks {
    struct Hit {
        std::size_t feature;  // index in Recipe::features
        Span span;
    };
    std::vector<Hit> hits{};
    std::vector<Span> kept{};  // in order. With Recipe::keeps_marked, a token that does not begin in one of them is left out
};
using Marker = std::function<Marks(const std::string&)>;

enum class Html { keep, strip };
enum class Treatment { keep, group, remove };

// Steps of normalisation, except the Unicode form, lower case and marks.
struct Steps {
    Html html = Html::keep;
    Treatment emoticons = Treatment::keep;
    Treatment emoji = Treatment::keep;
    Treatment hashtags = Treatment::keep;
    Treatment numbers = Treatment::keep;
    Treatment urls = Treatment::keep;
    Treatment users = Treatment::keep;
    int max_repeats = 0;  // 0: no limit
    bool punctuation = true;  // whether it is kept
};

// A column of a text that joins several. The prefix is written before each of its terms.
struct Column {
    std::string prefix{};
    bool is_category = false;  // the whole part is one term, as it is given: mailer=mutt
};

struct Recipe {
    Form form = Form::none;
    bool lowercase = true;
    bool strip_marks = false;
    Tokens tokens = Tokens::words;
    int min_token_length = 1;
    Lengths word_ngrams{1, 1};
    Lengths char_ngrams{};
    Over char_ngrams_over = Over::text;
    std::vector<SkipGram> skip_grams{};
    bool header_fields = false;
    std::shared_ptr<const NeutralWords> neutral{};  // null: no word is replaced
    std::shared_ptr<const TokenRules> rules{};  // null: every token is counted as it is
    std::shared_ptr<const Marker> marker{};
    bool keeps_marked = false;
    std::vector<std::string> features{};  // the names of all features but categories: lexicon hits, patterns, tags
    std::vector<Column> columns{};        // empty: a text is one column without a prefix

    bool has_words() const { return word_ngrams || !skip_grams.empty(); }
    // Whether the beginning of an n-gram may not be a term itself, although other n-grams of its length are terms.
    bool has_silent_beginnings() const { return !skip_grams.empty() || !word_ngrams.left_out.empty(); }
    Steps steps{};
};

}  // namespace tercet
