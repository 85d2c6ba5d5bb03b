// Mixed text → its parts, each in one language.
//
// Each word has a cost in each language. A change of the language costs as much as a few letters, and the sequence of languages with the
// lowest sum is found by dynamic programming over the words.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "languages/language_identifier.hpp"

namespace tercet {

struct LanguageSegment {
    std::size_t begin, end;  // characters of the text
    LanguageAnswer answer;
};

class LanguageSegmenter {
  public:
    explicit LanguageSegmenter(const LanguageIdentifier& identifier)
        : identifier_(identifier), scorer_(identifier.scorer()), words_(scorer_.letters(), true), reader_(identifier) {}

    std::vector<LanguageSegment> split(const Document& document) {
        const Words& text = words_.read(document);
        list_words(text.letters);
        list_labels();
        find_path();
        return join_words(text);
    }

  private:
    static constexpr double foreign_cost = 4 * LanguageIdentifier::cost_unit;  // of a letter in a language with another writing system

    struct Word {
        std::size_t begin, end;  // letters
        std::size_t system;
        std::size_t label = 0;   // the place of its language in `labels_`
    };

    // Only words that some allowed language could have.
    void list_words(std::span<const Letter> letters) {
        text_ = letters;
        list_.clear();
        for (std::size_t begin = 0, end; begin < letters.size(); begin = end + 1) {
            for (end = begin; letters[end]; ++end) {
            }
            const std::size_t system = system_of(letters[begin]);
            if (scorer_.has_label(system, identifier_.question().allowed)) list_.push_back({begin, end, system});
        }
    }

    // The allowed labels of the writing systems that the words have.
    void list_labels() {
        std::vector<bool> used(256);
        for (const Word& word : list_) used[word.system] = true;
        labels_.clear();
        for (std::size_t label = 0; label < scorer_.n_labels(); ++label)
            if (identifier_.question().allowed[label] && used[scorer_.system_of_label(label)]) labels_.push_back(label);
        column_.assign(scorer_.n_labels(), 0);
        for (std::size_t s = 1; s < used.size(); ++s)
            if (used[s])
                for (std::size_t i = 0; i < scorer_.system(s).labels.size(); ++i) column_[scorer_.system(s).labels[i]] = i;
    }

    // The languages of the words with the lowest sum of costs. Of equal sums, the one without a change, or with the first label.
    void find_path() {
        const std::size_t n = labels_.size();
        const double switch_cost = identifier_.switch_cost() * LanguageIdentifier::cost_unit;
        std::vector<double> costs(n, 0);
        std::vector<std::size_t> best_before(list_.size());
        std::vector<bool> changes(list_.size() * n);
        for (std::size_t w = 0; w < list_.size(); ++w) {
            const Word& word = list_[w];
            scorer_.add_words(text_.subspan(word.begin, word.end + 1 - word.begin), word.system, search_, sum_);
            const std::size_t best = static_cast<std::size_t>(std::min_element(costs.begin(), costs.end()) - costs.begin());
            best_before[w] = best;
            const double changed = costs[best] + switch_cost;
            for (std::size_t k = 0; k < n; ++k) {
                const bool is_change = w && changed < costs[k];
                changes[w * n + k] = is_change;
                const bool is_own = scorer_.system_of_label(labels_[k]) == word.system;
                const double cost = is_own ? static_cast<double>(sum_.costs[column_[labels_[k]]]) : foreign_cost * static_cast<double>(word.end - word.begin);
                costs[k] = (is_change ? changed : costs[k]) + cost;
            }
        }
        std::size_t label = static_cast<std::size_t>(std::min_element(costs.begin(), costs.end()) - costs.begin());
        for (std::size_t w = list_.size(); w--;) {
            list_[w].label = label;
            if (changes[w * n + label]) label = best_before[w];
        }
    }

    std::vector<LanguageSegment> join_words(const Words& text) {
        std::vector<LanguageSegment> segments;
        for (std::size_t first = 0, last; first < list_.size(); first = last) {
            const std::size_t label = list_[first].label, system = scorer_.system_of_label(labels_[label]);
            own_.clear();
            for (last = first; last < list_.size() && list_[last].label == label; ++last)
                if (list_[last].system == system) own_.insert(own_.end(), &text.letters[list_[last].begin], &text.letters[list_[last].end] + 1);
            LanguageAnswer answer{};
            const bool is_whole = !first && last == list_.size();
            reader_.answer_words(own_, system, is_whole, 1, &answer);
            segments.push_back({text.places[list_[first].begin], text.places[list_[last - 1].end], answer});
        }
        return segments;
    }

    const LanguageIdentifier& identifier_;
    const LanguageScorer& scorer_;
    WordReader words_;
    LanguageIdentifier::Reader reader_;
    std::span<const Letter> text_;
    std::vector<Word> list_;
    std::vector<std::size_t> labels_;  // that come into question
    std::vector<std::size_t> column_;  // of each label in the table of its writing system
    std::vector<Letter> own_;          // words of a segment
    NgramTable::Search search_;
    LanguageCosts sum_;
};

}  // namespace tercet
