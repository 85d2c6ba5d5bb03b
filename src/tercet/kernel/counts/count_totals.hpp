// Totals over all terms that follow the changes of counts. So after a change nobody has to go through all terms.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/hashing.hpp"
#include "counts/frequencies.hpp"

namespace tercet {

// What a term counts under a label is its occurrences, or the documents that have it.
struct CountTotals {
    struct Label {
        Units counted = 0;
        std::int64_t distinct = 0;   // terms that the label has
        Units smallest = max_units;  // no count of a term is smaller. After a subtraction all may be larger
    };
    std::vector<Label> labels{};
    std::int64_t n_terms = 0;             // terms that some label has
    std::vector<Histogram> histograms{};  // of each label. It is empty until it is needed

    // The count of a term under a label changes. A label does not have a term that counts 0.
    void replace(Id label, Units before, Units after) {
        Label& own = labels[label];
        own.counted += after - before;
        own.distinct += (after > 0) - (before > 0);
        if (after > 0) own.smallest = std::min(own.smallest, after);
        if (histograms.empty()) return;
        Histogram& histogram = histograms[label];
        if (after > 0) ++histogram[after];
        if (before <= 0) return;
        const auto place = histogram.find(before);
        if (--place->second == 0) histogram.erase(place);
    }
};

// The terms that some document has. Forgotten terms are not among them.
class MetTerms {
  public:
    explicit MetTerms(Id n_terms) { resize(n_terms); }
    void resize(Id n_terms) { bits_.resize((std::size_t{n_terms} + 63) / 64); }
    bool has(Id term) const { return term / 64 < bits_.size() && (bits_[term / 64] >> (term % 64) & 1); }
    // The term must not have this state yet.
    void flip(Id term) {
        bits_[term / 64] ^= std::uint64_t{1} << (term % 64);
        has(term) ? ++size_ : --size_;
    }
    std::size_t size() const { return size_; }

  private:
    std::vector<std::uint64_t> bits_;
    std::size_t size_ = 0;
};

}  // namespace tercet
