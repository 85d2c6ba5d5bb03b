// Text → the text that is tokenised. The steps, in this order: HTML, Unicode form, groups (emoticons, URLs …), blanks between
// Treebank tokens, lower case, marks, repeated characters, punctuation. Every step can track where its output came from.
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "text/recipe.hpp"
#include "text/text.hpp"

namespace tercet {

class TreebankSpacing;

class Normalizer {
  public:
    explicit Normalizer(const Recipe& recipe);
    ~Normalizer();

    // An empty string. The caller writes the original text into it.
    std::string& input() {
        text_.clear();
        return text_.bytes;
    }

    // The original text, before `run`.
    const std::string& given() const { return text_.bytes; }

    // Whether sources are tracked, and the number of bytes at the start that are not HTML.
    void prepare(bool tracked, std::size_t no_html) {
        text_.tracked = next_.tracked = tracked;
        no_html_ = no_html;
    }

    // The normalised text. With `spaced` there is a blank between any two Treebank tokens.
    const Text& run(bool spaced = false);

    // Exchange the result of the last run for another text, whose memory is used again.
    void swap(Text& text) { std::swap(text_, text); }

  private:
    template <class Step>
    void step(Step write_next);
    template <class Step>
    void try_step(Step write_next);
    template <class Find>
    void replace(Treatment treatment, Bytes placeholder, Find find, Bytes nothing = "");

    void track_input();
    void lower();
    bool ends_word(std::size_t begin, std::size_t end) const;
    void renormalize(Form form, bool drop_marks = false);
    void order_marks();
    void compose_parts();

    const Recipe& recipe_;
    Text text_, next_;
    std::vector<char32_t> parts_;
    std::size_t no_html_ = 0;
    std::unique_ptr<TreebankSpacing> treebank_;
};

}  // namespace tercet
