// A table for Python: many threads may ask it while one changes it.
#pragma once
#include <atomic>
#include <mutex>
#include <shared_mutex>

#include "bridge/vocabulary.hpp"
#include "linear/linear_weights.hpp"
#include "counts/table.hpp"
#include "bayes/weights.hpp"

namespace tercet {

using ScoresOut = std::pair<Floats, std::size_t>;

// Many readers or one writer; a writer who waits comes before readers who come later, or it would wait for ever.
class FairMutex {
  public:
    void lock() {
        const std::lock_guard turn(turn_);
        mutex_.lock();
    }
    void unlock() { mutex_.unlock(); }
    void lock_shared() {
        { const std::lock_guard turn(turn_); }
        mutex_.lock_shared();
    }
    void unlock_shared() { mutex_.unlock_shared(); }

  private:
    std::mutex turn_;
    std::shared_mutex mutex_;
};

// A table with the readers that look into it. Many may read at once, one alone may change it.
class TableObject {
  public:
    TableObject(const Recipe& recipe, Table table) : recipe_(recipe), table_(std::move(table)) { renew_readers(); }
    // With a vocabulary that lies in these arrays. They may come from anywhere, and are checked on first need.
    TableObject(const Recipe& recipe, Table table, const Arrays& arrays) : TableObject(recipe, std::move(table)) {
        owners_ = arrays.values();
        is_checked_ = false;
    }
    TableObject(const Recipe& recipe, std::size_t n_labels) : TableObject(recipe, Table{}) {
        expect(n_labels < max_ids, "too many labels");
        table_.counts = Counts(static_cast<Id>(n_labels));
    }

    const Counts& counts() const { return table_.counts; }
    std::size_t size() const { return table_.vocabulary.columns.n; }

    void add(const TableObject& other) {
        const auto lock = lock_alone();  // first: it lets other threads go on
        check();
        other.check();
        expect(&other != this && other.counts().n_labels() == counts().n_labels(), "the tables must have the same labels");
        table_.add(other.table_);
        renew_readers();
    }
    bool subtract(const TableObject& other) {
        const auto lock = lock_alone();  // first: it lets other threads go on
        check();
        other.check();
        expect(&other != this && other.counts().n_labels() == counts().n_labels(), "the tables must have the same labels");
        return table_.subtract(other.table_);
    }
    void place_labels(Numbers places, std::size_t n_labels) {
        expect(n_labels < max_ids, "too many labels");
        const auto lock = lock_alone();
        const std::vector<Id> list = read_places(places, counts().n_labels(), static_cast<Id>(n_labels));
        table_.place_labels(list, static_cast<Id>(n_labels));
    }

    // With `of_length`, only the kind of terms that the length of a document counts.
    Integers order(bool of_length) const {
        check();
        std::vector<Id> order;
        {
            const nb::gil_scoped_release unlocked;
            const std::shared_lock lock(mutex_);
            order = table_.canonical_order(recipe_, of_length ? std::optional(kind_of_length(recipe_)) : std::nullopt);
        }
        return copy_array<std::int64_t>(order);
    }
    Strings terms() const {
        check();
        return spell_terms(recipe_, table_.vocabulary);
    }
    // The vocabulary of these terms, which are in canonical order, as arrays that `open` takes.
    Arrays freeze(Numbers terms) const {
        check();
        expect_below(terms, size(), "no such term");
        std::optional<Freezing> frozen;
        {
            const nb::gil_scoped_release unlocked;  // first: who waits for the lock with the GIL waits for ever
            const std::shared_lock lock(mutex_);
            std::vector<Id> new_columns(size(), none);
            for (std::size_t i = 0; i < terms.size(); ++i) new_columns[terms(i)] = static_cast<Id>(i);
            frozen.emplace(table_.vocabulary, new_columns, static_cast<Id>(terms.size()));
        }
        return VocabularyArrays::copy(*frozen);
    }

    std::tuple<Integers, Integers, Integers> lengths() const {
        std::vector<std::int64_t> labels, lengths, documents;
        for (const auto& [key, weight] : table_.lengths) {
            labels.push_back(key.first);
            lengths.push_back(key.second);
            documents.push_back(weight);
        }
        return {copy_array<std::int64_t>(labels), copy_array<std::int64_t>(lengths), copy_array<std::int64_t>(documents)};
    }

    Rows rows(const Texts& texts, std::size_t threads) {
        const nb::gil_scoped_release unlocked;
        const std::shared_lock lock(mutex_);
        return readers_->read_rows(texts.get(), threads);
    }

    // The number of each occurrence of a term, in the order in which the recipe lists them; -1 for unknown ones.
    Integers find(const Texts& texts) {
        expect(texts.get().size() == 1, "one text");
        std::vector<std::int64_t> found;
        {
            const nb::gil_scoped_release unlocked;
            const std::shared_lock lock(mutex_);
            readers_->read(texts.get(), 1, [&](Reader& reader, std::size_t i) {
                for (Id column : reader.find(texts.get()[i])) found.push_back(column == none ? -1 : std::int64_t{column});
            });
        }
        return copy_array<std::int64_t>(found);
    }

    // `W` are Weights or LinearWeights.
    template <class W>
    ScoresOut log_joint(const W& weights, const Texts& texts, Input<double> prior, std::size_t threads) {
        const std::size_t n = texts.get().size(), n_labels = weights.n_labels();
        expect(prior.size() == n_labels, "each label needs a prior");
        std::unique_ptr<double[]> scores(new double[n * n_labels]);
        std::atomic<std::size_t> n_lost = 0;
        {
            const nb::gil_scoped_release unlocked;
            const std::shared_lock lock(mutex_);
            readers_->read(texts.get(), threads, [&](Reader& reader, std::size_t i) {
                double* out = scores.get() + i * n_labels;
                score_document(weights, reader, texts.get()[i], out);
                n_lost += !add_prior({out, n_labels}, prior.data());
            });
        }
        return {take_array(std::move(scores), {n, n_labels}), n_lost.load()};
    }

    template <class W>
    std::pair<Integers, std::size_t> predict(const W& weights, const Texts& texts, Input<double> prior, std::size_t threads) {
        const std::size_t n = texts.get().size(), n_labels = weights.n_labels();
        expect(prior.size() == n_labels, "each label needs a prior");
        std::unique_ptr<std::int64_t[]> best(new std::int64_t[n]);
        std::atomic<std::size_t> n_lost = 0;
        {
            const nb::gil_scoped_release unlocked;
            const std::shared_lock lock(mutex_);
            readers_->read(texts.get(), threads, [&](Reader& reader, std::size_t i) {
                static thread_local std::vector<double> scores;
                scores.resize(n_labels);
                score_document(weights, reader, texts.get()[i], scores.data());
                n_lost += !add_prior(scores, prior.data());
                best[i] = std::max_element(scores.begin(), scores.end()) - scores.begin();
            });
        }
        return {take_array(std::move(best), {n}), n_lost.load()};
    }

  private:
    // Whoever changes the counts has the lock and the GIL; whoever reads them has one of the two, or knows that nobody changes them. The lock is waited for without
    // the GIL, because a recipe may ask for word forms in Python while it has the lock.
    std::unique_lock<FairMutex> lock_alone() {
        const nb::gil_scoped_release unlocked;
        return std::unique_lock(mutex_);
    }

    void check() const {
        expect(is_checked_ || is_sound(table_.vocabulary.tables), "the vocabulary is damaged");
        is_checked_ = true;
    }

    void renew_readers() { readers_ = std::make_unique<Readers>(recipe_, table_.vocabulary); }

    template <class W>
    static void score_document(const W& weights, Reader& reader, const Document& document, double* scores) {
        static thread_local typename W::Sum sum;
        weights.begin(sum, scores);
        constexpr std::size_t ahead = 8;
        if (weights.needs_rows()) {
            const Row row = reader.read(document);
            const auto is_coming = [&](std::size_t i) { return i < row.entries.size() && row.entries[i].term < weights.n_terms(); };
            for (std::size_t i = 0; i < row.entries.size(); ++i) {
                if (is_coming(i + 2 * ahead)) weights.expect(row.entries[i + 2 * ahead].term);
                if (is_coming(i + ahead)) weights.expect_values(row.entries[i + ahead].term);
                add_term(weights, sum, row.entries[i].term, weights.clips() ? 1 : row.entries[i].count);
            }
            sum.n_unknown += row.n_unknown;
        } else {
            const std::vector<Id>& found = reader.find(document);
            const auto is_coming = [&](std::size_t i) { return i < found.size() && found[i] < weights.n_terms(); };
            for (std::size_t i = 0; i < found.size(); ++i) {
                if (is_coming(i + 2 * ahead)) weights.expect(found[i + 2 * ahead]);
                if (is_coming(i + ahead)) weights.expect_values(found[i + ahead]);
                add_term(weights, sum, found[i], 1);
            }
        }
        weights.finish(sum);
    }

    Recipe recipe_;
    Table table_;
    std::unique_ptr<Readers> readers_;
    mutable FairMutex mutex_;
    nb::list owners_{};
    mutable bool is_checked_ = true;
};

}  // namespace tercet
