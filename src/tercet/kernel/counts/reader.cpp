#include "counts/reader.hpp"

#include <utility>

#include "terms/analysis.hpp"
#include "terms/vocabulary.hpp"

namespace tercet {

static std::uint64_t count_terms(const Reading& reading) {
    return std::uint64_t{reading.vocabulary.columns.n} + (reading.added ? reading.added->columns.n : 0);
}

struct Reader::State {
    Reading reading;
    TermMemories memories;
    Analysis analysis;
    Lookup<FoundColumns> finder;
    Lookup<CountedColumns> counter;
    std::uint64_t n_terms;

    explicit State(const Reading& given)
        : reading(given), memories(given.vocabulary, given.added), analysis(given.recipe), finder(memories, given.vocabulary, given.added),
          counter(memories, given.vocabulary, given.added), n_terms(count_terms(given)) {}

    template <class Terms>
    void run(const Document& document, Terms& terms) {
        document.append_to(analysis.input());
        analysis.run(terms);
    }
};

Reader::Reader(const Reading& reading) : state_(new State(reading)) {}
Reader::~Reader() = default;

bool Reader::is_current() const { return state_->n_terms == count_terms(state_->reading) && !state_->memories.is_full(); }

void Reader::renew() {
    auto next = std::make_unique<State>(state_->reading);
    next->counter.found.tally = std::move(state_->counter.found.tally);
    if (next->counter.added) next->counter.added->found.tally = std::move(state_->counter.added->found.tally);
    state_ = std::move(next);
}

std::vector<Id>& Reader::find(const Document& document) {
    if (!is_current()) renew();
    auto& finder = state_->finder;
    finder.found.columns.clear();
    if (finder.added) finder.added->found.columns.clear();
    state_->run(document, finder);
    return finder.found.columns;
}

Row Reader::read(const Document& document) {
    constexpr std::size_t few = 32;  // bytes
    return document.memory() <= few ? count_few(document) : count_many(document);
}

// A short text is counted without the tally, which has room for every term of the vocabulary.
Row Reader::count_few(const Document& document) {
    const auto count = [](const std::vector<Id>& columns, std::vector<Entry>& entries) {
        entries.clear();
        for (Id column : columns) {
            if (column == none) continue;
            const auto known = std::ranges::find(entries, column, &Entry::term);
            known == entries.end() ? entries.push_back({column, 1}) : void(++known->count);
        }
    };
    const std::vector<Id>& found = find(document);
    count(found, entries_);
    if (const auto& added = state_->finder.added) count(added->found.columns, added_entries_);
    return {entries_, static_cast<double>(std::count(found.begin(), found.end(), none))};
}

Row Reader::count_many(const Document& document) {
    if (!is_current()) renew();
    const auto take = [](CountedColumns& found, std::vector<Entry>& entries) {
        entries.clear();
        for (Id column : found.tally.met()) entries.push_back({column, static_cast<double>(found.tally[column])});
        found.tally.next_document();
        return static_cast<double>(std::exchange(found.n_unknown, 0));
    };
    state_->run(document, state_->counter);
    if (auto& added = state_->counter.added) take(added->found, added_entries_);
    const double n_unknown = take(state_->counter.found, entries_);
    return {entries_, n_unknown};
}

Rows Readers::read_rows(Documents documents, std::size_t n_threads) {
    const auto ranges = split_documents(documents);
    std::vector<Rows> parts(ranges.size());
    share_out(n_threads, ranges.size(), [&](std::size_t, std::size_t r) {
        auto reader = take();
        for (std::size_t i = ranges[r].begin; i < ranges[r].end; ++i) {
            const Row row = reader->read(documents[i]);
            parts[r].append(row.entries, row.n_unknown);
        }
        give_back(std::move(reader));
    });
    Rows rows;
    std::size_t n_entries = 0;
    for (const Rows& part : parts) n_entries += part.n_entries();
    rows.reserve(documents.size(), n_entries);
    for (Rows& part : parts) {
        rows.append(part);
        part = {};
    }
    return rows;
}

std::unique_ptr<Reader> Readers::take() {
    {
        const std::lock_guard lock(mutex_);
        if (!idle_.empty()) {
            auto reader = std::move(idle_.back());
            idle_.pop_back();
            return reader;
        }
    }
    return std::make_unique<Reader>(reading_);
}

void Readers::give_back(std::unique_ptr<Reader> reader) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(reader));
}

}  // namespace tercet
