#include "counts/reader.hpp"

#include <utility>

#include "terms/analysis.hpp"
#include "terms/vocabulary.hpp"

namespace tercet {

struct Reader::State {
    Analysis analysis;
    CountingLookup lookup;
};

Reader::Reader(const Recipe& recipe, const Vocabulary& vocabulary, Tally tally)
    : state_(new State{Analysis(recipe), CountingLookup{{vocabulary}, std::move(tally)}}) {}
Reader::~Reader() = default;

Tally Reader::take_tally() { return std::move(state_->lookup.tally); }

std::vector<Id>& Reader::find(const Document& document) {
    Lookup& lookup = state_->lookup;
    lookup.found.clear();
    document.append_to(state_->analysis.input());
    state_->analysis.run(lookup);
    return lookup.found;
}

Row Reader::read(const Document& document) {
    constexpr std::size_t few = 32;  // bytes
    entries_.clear();
    return document.memory() <= few ? count_few(document) : count_many(document);
}

// A short text is counted without the tally, which has room for every term of the vocabulary.
Row Reader::count_few(const Document& document) {
    const std::vector<Id>& found = find(document);
    for (Id column : found) {
        if (column == none) continue;
        const auto known = std::ranges::find(entries_, column, &Entry::term);
        known == entries_.end() ? entries_.push_back({column, 1}) : void(++known->count);
    }
    return {entries_, static_cast<double>(std::count(found.begin(), found.end(), none))};
}

Row Reader::count_many(const Document& document) {
    CountingLookup& lookup = state_->lookup;
    lookup.n_unknown = 0;
    document.append_to(state_->analysis.input());
    state_->analysis.run(lookup);
    for (Id column : lookup.tally.met()) entries_.push_back({column, static_cast<double>(lookup.tally[column])});
    lookup.tally.next_document();
    return {entries_, static_cast<double>(lookup.n_unknown)};
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

void Readers::renew() {
    const std::lock_guard lock(mutex_);
    for (auto& reader : idle_) tallies_.push_back(reader->take_tally());
    idle_.clear();
}

std::unique_ptr<Reader> Readers::take() {
    Tally tally;
    {
        const std::lock_guard lock(mutex_);
        if (!idle_.empty()) {
            auto reader = std::move(idle_.back());
            idle_.pop_back();
            return reader;
        }
        if (!tallies_.empty()) {
            tally = std::move(tallies_.back());
            tallies_.pop_back();
        }
    }
    return std::make_unique<Reader>(recipe_, vocabulary_, std::move(tally));
}

void Readers::give_back(std::unique_ptr<Reader> reader) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(reader));
}

}  // namespace tercet
