// Common words of languages: word → the labels that list it.
#pragma once
#include <algorithm>
#include <map>
#include <span>
#include <stdexcept>
#include <vector>

#include "languages/letters.hpp"

namespace tercet {

class CommonWords {
  public:
    explicit CommonWords(std::size_t n_labels) : n_labels_(n_labels) {}

    // List all words of a text for a label.
    void add(std::size_t label, const Document& text, WordReader& reader) {
        if (label >= n_labels_) throw std::invalid_argument("there is no such label");
        const std::span<const Letter> letters = reader.read(text).letters;
        for (std::size_t begin = 0, end; begin < letters.size(); begin = end + 1) {
            for (end = begin; letters[end]; ++end) {
            }
            std::vector<std::size_t>& labels = labels_[{letters.begin() + static_cast<std::ptrdiff_t>(begin), letters.begin() + static_cast<std::ptrdiff_t>(end)}];
            if (labels.empty() || labels.back() != label) labels.push_back(label);
        }
    }

    // Mark the labels that list all words of a writing system, and count these words. A 0 follows each word.
    std::size_t mark(std::span<const Letter> letters, std::size_t system, std::vector<std::uint8_t>& listed) const {
        listed.assign(n_labels_, 0);
        std::size_t n = 0;
        for (std::size_t begin = 0, end; begin < letters.size(); begin = end + 1) {
            for (end = begin; letters[end]; ++end) {
            }
            if (system_of(letters[begin]) != system) continue;
            const auto found = labels_.find(letters.subspan(begin, end - begin));
            if (found != labels_.end())
                for (const std::size_t label : found->second) listed[label] = static_cast<std::uint8_t>(listed[label] + (listed[label] == n));
            ++n;
        }
        for (std::uint8_t& each : listed) each = n && each == n;
        return n;
    }

  private:
    struct Less {
        using is_transparent = void;
        bool operator()(std::span<const Letter> a, std::span<const Letter> b) const { return std::ranges::lexicographical_compare(a, b); }
    };

    std::size_t n_labels_;
    std::map<std::vector<Letter>, std::vector<std::size_t>, Less> labels_;
};

}  // namespace tercet
