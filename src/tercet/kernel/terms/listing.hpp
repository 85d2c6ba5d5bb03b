// The tokens and the terms of one text, with the places they came from. This is for people; counting does not use it.
#pragma once
#include <string>
#include <vector>

#include "terms/kinds.hpp"
#include "text/recipe.hpp"
#include "text/text.hpp"

namespace tercet {

struct Occurrence {
    Kind kind;
    std::string spelling;
    std::vector<Span> spans;  // of each of its tokens
};

std::vector<Occurrence> list_terms(const Recipe& recipe, const std::string& text);
std::vector<Occurrence> list_tokens(Recipe recipe, const std::string& text);
// The places of the words that are replaced because they are neutral.
std::vector<Span> list_neutral(const Recipe& recipe, const std::string& text);

}  // namespace tercet
