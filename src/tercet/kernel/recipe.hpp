// The recipe from a text to its terms, as plain data.
#pragma once

namespace tercet {

enum class Form { none, nfc, nfkc };
enum class Tokens { words, words_and_marks, regex_words, whitespace, characters, bytes };
enum class Over { text, words, bytes };

struct Lengths {  // of n-grams; none when high is 0
    int low = 0;
    int high = 0;
    explicit operator bool() const { return high > 0; }
};

enum class Html { keep, strip };
enum class Treatment { keep, group, remove };

struct Steps {  // of normalisation, beside the Unicode form, the lower case and the marks
    Html html = Html::keep;
    Treatment emoticons = Treatment::keep;
    Treatment emoji = Treatment::keep;
    Treatment hashtags = Treatment::keep;
    Treatment numbers = Treatment::keep;
    Treatment urls = Treatment::keep;
    Treatment users = Treatment::keep;
    int max_repeats = 0;  // 0 for any number of them
    bool punctuation = true;
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
    Steps steps{};
};

}  // namespace tercet
