// The options of a recipe as users give them → the recipe. Here are all rules about options: which names there are, which numbers are
// allowed, and how lists of words become lists of tokens.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "terms/token_rules.hpp"
#include "text/recipe.hpp"

namespace tercet {

struct RecipeOptions {
    using Ranges = std::vector<std::pair<int, int>>;
    using Words = std::vector<std::string>;

    std::string html = "keep", form = "nfc", emoticons = "keep", emoji = "keep", hashtags = "keep", numbers = "keep", urls = "keep",
                users = "keep";
    bool lowercase = true, strip_marks = false;
    std::optional<int> max_repeats{};
    std::string punctuation = "keep", tokens = "words";
    int min_token_length = 1;
    bool header_fields = false;
    Ranges word_ngrams{{1, 1}};  // (lowest, highest length)
    Ranges skip_grams{};         // (number of words, gap)
    Ranges char_ngrams{};
    std::string char_ngrams_over = "text";
    std::optional<Words> neutral{}, stop_words{}, kept_words{}, negation{};
    bool stops_forms = false;
    std::vector<Words> lexicon{};
    FindForms find_forms{};
    Marker find_marks{};
    bool keeps_marked = false;
    std::vector<std::string> features{};
    std::vector<std::pair<std::string, bool>> columns{};  // (prefix, whether it is a category)
};

// Throws std::invalid_argument if an option is wrong.
Recipe make_recipe(const RecipeOptions& options);

}  // namespace tercet
