// Text → the writing system of most of its letters, and the cost of each language that is written in it.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "languages/letters.hpp"
#include "languages/ngram_rows.hpp"

namespace tercet {

using Allowed = std::span<const std::uint8_t>;  // 1 for each label that may be answered

// A writing system with its languages.
struct WritingSystem {
    std::uint32_t weight;              // of a letter, when letters of several systems are compared
    std::vector<std::size_t> labels;   // in the order of the columns of the table
    NgramTable table;
};

class LanguageScorer {
  public:
    static constexpr std::size_t no_system = 0;

    // Letters of system s + 1 belong to systems[s]. Letters of higher systems have no language here.
    LanguageScorer(LetterTable letters, std::vector<WritingSystem> systems, std::size_t n_labels)
        : letters_(std::move(letters)), systems_(std::move(systems)), n_labels_(n_labels), system_of_label_(n_labels, no_system) {
        for (std::size_t s = 0; s < systems_.size(); ++s) {
            if (systems_[s].labels.size() != systems_[s].table.n_labels()) throw std::invalid_argument("each column needs a label");
            if (letters_.highest_symbol(s + 1) >> systems_[s].table.n_bits()) throw std::invalid_argument("a symbol has too many bits");
            for (const std::size_t label : systems_[s].labels) {
                if (label >= n_labels || system_of_label_[label]) throw std::invalid_argument("each label needs one column");
                system_of_label_[label] = s + 1;
            }
        }
    }

    std::size_t n_labels() const { return n_labels_; }
    const LetterTable& letters() const { return letters_; }
    const WritingSystem& system(std::size_t number) const { return systems_[number - 1]; }
    std::size_t system_of_label(std::size_t label) const { return system_of_label_[label]; }

    // The weight of a letter of a writing system.
    std::size_t find_weight(std::size_t system) const { return system <= systems_.size() ? systems_[system - 1].weight : 1; }

    bool has_label(std::size_t system, Allowed allowed) const {
        if (system == no_system || system > systems_.size()) return false;
        for (const std::size_t label : systems_[system - 1].labels)
            if (allowed[label]) return true;
        return false;
    }

    // The system with the most letters, by their weights, the first of equals. With `forced`, only systems with an allowed language.
    std::size_t choose_system(std::span<const Letter> letters, Allowed allowed, bool forced) const {
        std::size_t counts[256] = {}, last = 0;
        for (std::size_t begin = 0, end; begin < letters.size(); begin = end + 1) {
            const std::size_t system = system_of(letters[begin]);
            for (end = begin; letters[end]; ++end) {
            }
            counts[system] += end - begin;
            last = std::max(last, system);
        }
        std::size_t best = no_system;
        std::uint64_t most = 0;
        for (std::size_t s = 1; s <= last; ++s) {
            if (!counts[s] || (forced && !has_label(s, allowed))) continue;
            const std::uint64_t weight = counts[s] * find_weight(s);
            if (weight > most) best = s, most = weight;
        }
        return best;
    }

    // Add up the costs of all words of a system.
    void add_words(std::span<const Letter> letters, std::size_t system, NgramTable::Search& search, LanguageCosts& sum) const {
        const NgramTable& table = systems_[system - 1].table;
        search.begin(letters.size());
        for (std::size_t begin = 0, end; begin < letters.size(); begin = end + 1) {
            for (end = begin; letters[end]; ++end) {
            }
            if (system_of(letters[begin]) == system) table.add_keys(letters.subspan(begin, end - begin), search);
        }
        table.find_rows(search);
        table.sum({search.rows.data(), search.n_rows}, sum);
    }

  private:
    LetterTable letters_;
    std::vector<WritingSystem> systems_;
    std::size_t n_labels_;
    std::vector<std::size_t> system_of_label_;
};

}  // namespace tercet
