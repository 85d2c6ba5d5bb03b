// Weights that are derived from the counts only when it is worth it.
#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "base/fair_mutex.hpp"
#include "bayes/count_weights.hpp"
#include "bayes/weights.hpp"
#include "counts/scoring.hpp"

namespace tercet {

// To derive the weights of all terms, all counts must be read. So the first documents are scored from the counts. When they have read a
// quarter as many cells as there are, the weights are derived, and used from then on. The scores are equal, to the last bit. They belong
// to the counts at the moment when this object was made: later changes do not matter.
//
// Counts must not change while a thread scores documents or derives the weights: see TableObject.
class LazyWeights {
  public:
    // Weights that are derived already.
    explicit LazyWeights(Weights weights) : own_(std::make_unique<const Weights>(std::move(weights))), derived_(own_.get()) {}

    // Weights for these counts, which must live longer. The model must know every term that some document has.
    LazyWeights(Counts& counts, const Model& model, std::size_t n_threads) : n_threads_(n_threads) {
        live_.emplace(counts, model);
        std::size_t n_cells = 0;
        for (const CountTotals::Label& label : counts.totals(model.formula.counts_documents()).labels)
            n_cells += static_cast<std::size_t>(label.distinct);
        n_enough_ = n_cells / 4;
    }

    bool is_derived() const { return derived_.load(std::memory_order_acquire); }
    Id n_labels() const { return live_ ? live_->weights.n_labels() : own_->n_labels(); }
    Id n_terms() const { return live_ ? live_->weights.n_terms() : own_->n_terms(); }

    // Whether it reads no other counts than these.
    bool reads_only(const Counts& counts) const { return !live_ || live_->weights.view().is_of(counts); }

    // Texts of so many bytes are about to be scored. They have about a term for every three bytes.
    void announce(std::size_t n_bytes) const {
        if (n_bytes / 3 > n_enough_) is_worth_it_ = true;
    }
    // The derived weights; nullptr as long as it takes less time to score from the counts.
    const Weights* find_derived() const {
        const Weights* derived = derived_.load(std::memory_order_acquire);
        return derived || (live_->weights.n_read() < n_enough_ && !is_worth_it_) ? derived : &derive();
    }
    const Weights& derive() const {
        if (const Weights* derived = derived_.load(std::memory_order_acquire)) return *derived;
        const std::lock_guard lock(mutex_);
        if (!own_) {
            CountsView& view = live_->weights.view();
            const auto row_of = [&](Id term) { return view.row(term); };
            own_ = std::make_unique<const Weights>(live_->weights.weigher(), view.n_terms(), row_of, n_threads_);
            view.close();
            derived_.store(own_.get(), std::memory_order_release);
        }
        return *own_;
    }
    const CountWeights& from_counts() const { return live_->weights; }
    const LabelParts& parts() const { return live_ ? static_cast<const LabelParts&>(live_->weights) : *own_; }

    // Call use(weights) with the weights that take less time for so many terms.
    template <class Use>
    auto use_for(std::size_t n_terms, Use use) const {
        const Weights* derived = find_derived();
        return derived || n_terms > n_enough_ / 16 ? use(derive()) : use(from_counts());
    }

  private:
    struct Live {
        Model model;
        CountWeights weights;
        Live(Counts& counts, const Model& model) : model(model), weights(counts, this->model) {}
    };
    std::size_t n_threads_ = 1, n_enough_ = 0;
    mutable std::optional<Live> live_{};
    mutable std::atomic<bool> is_worth_it_ = false;
    mutable FairMutex mutex_{};  // held while the weights are derived
    mutable std::unique_ptr<const Weights> own_{};
    mutable std::atomic<const Weights*> derived_ = nullptr;
};

inline void score_document(const LazyWeights& weights, Reader& reader, const Document& document, double* scores) {
    if (const Weights* derived = weights.find_derived()) return score_document(*derived, reader, document, scores);
    score_document(weights.from_counts(), reader, document, scores);
}

}  // namespace tercet
