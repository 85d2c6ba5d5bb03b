// Tables of labelled documents, and fingerprints of texts.
#include "bridge/table.hpp"

#include <nanobind/stl/tuple.h>

#include <optional>
#include <shared_mutex>

#include "base/fingerprint.hpp"
#include "bridge/gil.hpp"
#include "bridge/module.hpp"
#include "bridge/vocabulary.hpp"
#include "bridge/vocabulary_arrays.hpp"
#include "counts/shards.hpp"

namespace tercet {

TableObject::TableObject(const Recipe& recipe, Table table)
    : recipe_(recipe), table_(std::move(table)), readers_({recipe_, table_.vocabulary}) {}
TableObject::TableObject(const Recipe& recipe, Table table, const Arrays& arrays) : TableObject(recipe, std::move(table)) {
    owners_ = arrays.values();
    is_checked_ = false;
}
TableObject::TableObject(const Recipe& recipe, std::size_t n_labels) : TableObject(recipe, Table{}) {
    expect(n_labels < max_ids, "too many labels");
    table_.counts = Counts(static_cast<Id>(n_labels));
}

void TableObject::add(const TableObject& other) {
    const auto lock = lock_alone();  // before the checks: other threads run while this one waits
    expect_fit(other);
    table_.add(other.table_);
}

bool TableObject::subtract(const TableObject& other, bool possible) {
    const auto lock = lock_alone();  // before the checks: other threads run while this one waits
    expect_fit(other);
    return table_.subtract(other.table_, possible);
}

void TableObject::place_labels(Numbers places, std::size_t n_labels) {
    expect(n_labels < max_ids, "too many labels");
    const auto lock = lock_alone();
    const std::vector<Id> list = read_places(places, counts().n_labels(), static_cast<Id>(n_labels));
    table_.rename_labels(list, static_cast<Id>(n_labels));
}

Integers TableObject::order(bool of_length) const {
    check();
    std::vector<Id> order;
    {
        const GilReleased unlocked;
        const std::shared_lock lock(mutex_);
        order = table_.canonical_order(recipe_, of_length ? std::optional(kind_of_length(recipe_)) : std::nullopt);
    }
    return copy_array<std::int64_t>(order);
}

Strings TableObject::terms() const {
    check();
    return spell_terms(recipe_, table_.vocabulary);
}

std::tuple<Integers, Output<std::uint8_t>> TableObject::spell(Numbers terms) const {
    check();
    expect_below(terms, size(), "no such term");
    LargeVector<std::int64_t> ends(terms.size() + 1);
    std::string bytes;
    {
        const GilReleased unlocked;
        const std::shared_lock lock(mutex_);
        const auto known = table_.vocabulary.list_terms();
        ends[0] = 0;
        for (std::size_t i = 0; i < terms.size(); ++i) {
            const auto [kind, id] = known[terms(i)];
            append_term(bytes, recipe_, table_.vocabulary, kind, id);
            ends[i + 1] = static_cast<std::int64_t>(bytes.size());
        }
    }
    return {take_array(std::move(ends), {terms.size() + 1}), copy_array<std::uint8_t>(bytes)};
}

Integers TableObject::look_up(const Strings& terms) const {
    check();
    Vocabulary written;
    std::vector<std::string> spellings;
    for (std::size_t i = 0; i < terms.size(); ++i) {
        spellings.push_back(bytes_of(nb::cast<nb::str>(terms[i])));
        read_term(recipe_, spellings.back(), static_cast<Id>(i), written);
    }
    const std::vector<Id> numbers = table_.find_terms(written);
    const auto known = table_.vocabulary.list_terms();
    std::vector<std::int64_t> found(numbers.size(), -1);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (numbers[i] == none) continue;
        // `read_term` also reads other spellings of a term, and each term has one.
        const auto [kind, id] = known[numbers[i]];
        std::string spelling;
        append_term(spelling, recipe_, table_.vocabulary, kind, id);
        if (spelling == spellings[i]) found[i] = std::int64_t{numbers[i]};
    }
    return copy_array<std::int64_t>(found);
}

Integers TableObject::sort(Numbers terms) const {
    check();
    expect_below(terms, size(), "no such term");
    std::vector<Id> sorted;
    {
        const GilReleased unlocked;
        const std::shared_lock lock(mutex_);
        sorted = table_.sort_terms(std::vector<Id>(terms.data(), terms.data() + terms.size()));
    }
    return copy_array<std::int64_t>(sorted);
}

Output<std::uint8_t> TableObject::character_flags() const {
    check();
    std::vector<std::uint8_t> flags;
    {
        const GilReleased unlocked;
        const std::shared_lock lock(mutex_);
        flags = table_.character_flags();
    }
    return copy_array<std::uint8_t>(flags);
}

Arrays TableObject::freeze(Numbers terms) const {
    check();
    expect_below(terms, size(), "no such term");
    std::optional<Freezing> frozen;
    {
        const GilReleased unlocked;  // before the lock: waiting for the lock with the GIL would be a deadlock
        const std::shared_lock lock(mutex_);
        std::vector<Id> new_columns(size(), none);
        for (std::size_t i = 0; i < terms.size(); ++i) new_columns[terms(i)] = static_cast<Id>(i);
        frozen.emplace(table_.vocabulary, new_columns, static_cast<Id>(terms.size()));
    }
    return VocabularyArrays::copy(*frozen);
}

std::tuple<Integers, Integers, Integers> TableObject::lengths() const {
    std::vector<std::int64_t> labels, lengths, documents;
    for (const auto& [key, weight] : table_.lengths) {
        labels.push_back(key.first);
        lengths.push_back(key.second);
        documents.push_back(weight);
    }
    return {copy_array<std::int64_t>(labels), copy_array<std::int64_t>(lengths), copy_array<std::int64_t>(documents)};
}

nb::typed<nb::list, nb::tuple> TableObject::split(std::size_t n, std::size_t stride) const {
    check();
    expect(n > 0 && n < max_ids && stride > 0, "the number of shards and the stride must be above 0");
    std::vector<Shard> shards;
    {
        const GilReleased unlocked;
        const std::shared_lock lock(mutex_);
        Sharding sharding(table_, n, stride);
        for (std::size_t number = 0; number < n; ++number) shards.push_back(sharding.make(number));
    }
    nb::list parts;
    for (std::size_t number = 0; number < n; ++number) {
        const Shard shard = std::move(shards[number]);
        if (shard.sizes.empty()) continue;
        Arrays arrays;
        for (Kind kind : kinds) VocabularyArrays::copy_spellings(kind, shard.vocabulary[static_cast<int>(kind)], arrays);
        arrays["sizes"] = copy_array<std::int64_t>(shard.sizes);
        arrays["labels"] = copy_array<std::int64_t>(shard.labels);
        arrays["occurrences"] = copy_array<std::int64_t>(shard.occurrences);
        arrays["documents"] = copy_array<std::int64_t>(shard.documents);
        parts.append(nb::make_tuple(number, arrays));
    }
    return nb::borrow<nb::typed<nb::list, nb::tuple>>(parts);
}

Rows TableObject::rows(const Texts& texts, std::size_t threads) {
    const GilReleased unlocked;
    const std::shared_lock lock(mutex_);
    return readers_.read_rows(texts.get(), threads);
}

Integers TableObject::find(const Texts& texts) {
    expect(texts.get().size() == 1, "one text");
    std::vector<std::int64_t> found;
    read(texts, 1, [&](Reader& reader, std::size_t i) {
        for (Id column : reader.find(texts.get()[i])) found.push_back(column == none ? -1 : std::int64_t{column});
    });
    return copy_array<std::int64_t>(found);
}

void TableObject::read(const Texts& texts, std::size_t threads, const std::function<void(Reader&, std::size_t)>& work) {
    const GilReleased unlocked;
    const std::shared_lock lock(mutex_);
    readers_.read(texts.get(), threads, work);
}

// A thread that changes the table holds the lock and the GIL. A thread that reads it, or weights that score from its counts, holds one
// of the two, or knows that no thread changes it. A thread waits for the lock without the GIL, because a reader may call Python for word forms while it holds the lock.
std::unique_lock<FairMutex> TableObject::lock_alone() {
    const GilReleased unlocked;
    return std::unique_lock(mutex_);
}

void TableObject::check() const {
    expect(is_checked_ || is_sound(recipe_, table_.vocabulary.tables), "the vocabulary is damaged");
    is_checked_ = true;
}

void TableObject::expect_fit(const TableObject& other) const {
    check();
    other.check();
    expect(&other != this && other.counts().n_labels() == counts().n_labels(), "the tables must have the same labels");
}

namespace {

// The vocabulary is used where it is, without a copy. The table takes ownership of the counts.
TableObject* open_table(const Recipe& recipe, const Arrays& arrays, Counts& counts, Numbers labels, Numbers lengths,
                        Numbers documents) {
    expect(labels.size() == lengths.size() && labels.size() == documents.size(), "no table");
    expect_below(labels, counts.n_labels(), "no such label");
    expect_below(lengths, std::size_t{1} << 32, "no such length");
    expect_below(documents, std::size_t{1} << 62, "no such weight");
    Table table{.vocabulary = VocabularyArrays(arrays).open(counts.n_terms()), .counts = std::move(counts)};
    for (std::size_t i = 0; i < labels.size(); ++i)
        table.lengths[{static_cast<Id>(labels(i)), static_cast<std::uint32_t>(lengths(i))}] = documents(i);
    return new TableObject(recipe, std::move(table), arrays);
}

Output<std::uint64_t> fingerprint_texts(const Texts& texts, std::size_t threads) {
    const Documents documents = texts.get();
    std::unique_ptr<std::uint64_t[]> prints(new std::uint64_t[documents.size() * 2]);
    {
        const GilReleased unlocked;
        const auto ranges = split_documents(documents);
        share_out(threads, ranges.size(), [&](std::size_t, std::size_t r) {
            std::string bytes;
            for (std::size_t i = ranges[r].begin; i < ranges[r].end; ++i) {
                const Fingerprint print = Fingerprinter::of(documents[i].utf8(bytes));
                std::copy(print.begin(), print.end(), prints.get() + i * 2);
            }
        });
    }
    return take_array(std::move(prints), {documents.size(), std::size_t{2}});
}

}  // namespace

void bind_table(nb::module_& m) {
    m.def("fingerprint", &fingerprint_texts, "texts"_a, "threads"_a = 1);

    nb::class_<TableObject> table(m, "Table");
    table.def(nb::init<const Recipe&, std::size_t>(), "recipe"_a, "n_labels"_a)
        .def_static("open", &open_table, "recipe"_a, "arrays"_a, "counts"_a, "labels"_a, "lengths"_a, "documents"_a)
        .def("check", &TableObject::check)
        .def("freeze", &TableObject::freeze, "terms"_a)
        .def_prop_ro("counts", [](TableObject& self) -> Counts& { return self.counts(); }, nb::rv_policy::reference_internal)
        .def("__len__", &TableObject::size)
        .def("add", &TableObject::add, "other"_a)
        .def("subtract", &TableObject::subtract, "other"_a, "possible"_a = false)
        .def("place_labels", &TableObject::place_labels, "places"_a, "n_labels"_a)
        .def("order", &TableObject::order, "of_length"_a = false)
        .def("terms", &TableObject::terms)
        .def("spell", &TableObject::spell, "terms"_a)
        .def("look_up", &TableObject::look_up, "terms"_a)
        .def("sort", &TableObject::sort, "terms"_a)
        .def("character_flags", &TableObject::character_flags)
        .def("lengths", &TableObject::lengths)
        .def("split", &TableObject::split, "n"_a, "stride"_a = 1)
        .def("rows", &TableObject::rows, "texts"_a, "threads"_a = 1)
        .def("find", &TableObject::find, "texts"_a);
    bind_table_scores(m, table);
}

}  // namespace tercet
