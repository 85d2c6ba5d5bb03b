// The kernel for Python: tables of counts, and the scores that are made of them.
#include <atomic>
#include <shared_mutex>

#include "bridge.hpp"
#include "fingerprint.hpp"
#include "left_out.hpp"
#include "table.hpp"

namespace tercet {

namespace {

using Integers = Output<std::int64_t>;
using Floats = Output<double>;
using Numbers = Input<std::int64_t>;

void expect(bool fits, const char* what) {
    if (!fits) throw nb::value_error(what);
}

void expect_below(Numbers values, std::size_t limit, const char* what) {
    for (std::size_t i = 0; i < values.size(); ++i)
        if (values(i) < 0 || static_cast<std::uint64_t>(values(i)) >= limit) throw nb::index_error(what);
}

template <class T, class List>
Output<T> copy_array(const List& values) {
    std::unique_ptr<T[]> data(new T[values.size()]);
    std::copy(values.begin(), values.end(), data.get());
    return take_array(std::move(data), {values.size()});
}

std::vector<Id> read_places(Numbers places, std::size_t n_labels, Id n_new) {
    expect(places.size() == n_labels, "each label needs a place");
    std::vector<Id> result;
    std::int64_t last = -1;
    for (std::size_t i = 0; i < places.size(); ++i) {
        expect(places(i) < std::int64_t{n_new} && (places(i) < 0 || places(i) > last), "the places must be in order");
        last = std::max(last, places(i));
        result.push_back(places(i) < 0 ? none : static_cast<Id>(places(i)));
    }
    return result;
}

void check_model(const Counts& counts, const Model& model) {
    expect(model.kept.empty() || model.kept.size() == counts.n_terms(), "each term is kept or not");
}

// Whether no term comes twice; mostly they are sorted.
bool are_distinct(std::vector<Entry> entries) {
    const auto before = [](const Entry& a, const Entry& b) { return a.term < b.term; };
    const auto repeats = [&] { return std::adjacent_find(entries.begin(), entries.end(), [&](auto& a, auto& b) { return !before(a, b); }); };
    if (repeats() == entries.end()) return true;
    std::sort(entries.begin(), entries.end(), before);
    return repeats() == entries.end();
}

Rows rows_from_matrix(Numbers ends, Numbers terms, Input<double> counts) {
    expect(ends.size() > 0 && ends(0) == 0 && terms.size() == counts.size(), "no CSR matrix");
    Rows rows;
    std::vector<Entry> entries;
    rows.reserve(ends.size() - 1, terms.size());
    for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
        expect(ends(i) <= ends(i + 1) && static_cast<std::uint64_t>(ends(i + 1)) <= terms.size(), "no CSR matrix");
        entries.clear();
        for (std::int64_t k = ends(i); k < ends(i + 1); ++k) {
            expect(terms(k) >= 0 && terms(k) < std::int64_t{max_ids} && counts(k) >= 0 && counts(k) < 0x1p42, "no CSR matrix");
            if (counts(k) != 0) entries.push_back({static_cast<Id>(terms(k)), counts(k)});
        }
        expect(are_distinct(entries), "a row has a term twice");
        rows.append(entries, 0);
    }
    return rows;
}

// (starts, labels, occurrences, documents) of these terms, in this order; empty cells are left out.
using CellArrays = std::tuple<Integers, Integers, Integers, Integers>;

CellArrays export_cells(const Counts& counts, Numbers terms) {
    expect_below(terms, counts.n_terms(), "no such term");
    std::vector<std::int64_t> starts{0}, labels, occurrences, documents;
    for (std::size_t i = 0; i < terms.size(); ++i) {
        for (const Cell& cell : counts.row(static_cast<Id>(terms(i)))) {
            if (cell.occurrences == 0 && cell.documents == 0) continue;
            labels.push_back(cell.label);
            occurrences.push_back(cell.occurrences);
            documents.push_back(cell.documents);
        }
        starts.push_back(static_cast<std::int64_t>(labels.size()));
    }
    return {copy_array<std::int64_t>(starts), copy_array<std::int64_t>(labels), copy_array<std::int64_t>(occurrences),
            copy_array<std::int64_t>(documents)};
}

Counts import_cells(Numbers n_documents, Numbers starts, Numbers labels, Numbers occurrences, Numbers documents) {
    expect(starts.size() > 0 && starts(0) == 0 && static_cast<std::uint64_t>(starts(starts.size() - 1)) == labels.size(), "no table");
    expect(labels.size() == occurrences.size() && labels.size() == documents.size(), "no table");
    expect(starts.size() <= max_ids && n_documents.size() <= max_ids, "no table");
    expect_below(labels, n_documents.size(), "no such label");
    Counts counts(static_cast<Id>(n_documents.size()), static_cast<Id>(starts.size() - 1));
    for (std::size_t label = 0; label < n_documents.size(); ++label) counts.add_document(static_cast<Id>(label), n_documents(label));
    for (std::size_t term = 0; term + 1 < starts.size(); ++term) {
        expect(starts(term) <= starts(term + 1) && static_cast<std::uint64_t>(starts(term + 1)) <= labels.size(), "no table");
        for (std::int64_t i = starts(term); i < starts(term + 1); ++i)
            counts.add(static_cast<Id>(term), static_cast<Id>(labels(i)), occurrences(i), documents(i));
    }
    counts.settle();
    return counts;
}

// Add documents with their weights, or take them away where a weight is below zero.
void add_rows(Counts& counts, const Rows& rows, Numbers documents, Numbers labels, Numbers weights) {
    expect_below(documents, rows.size(), "no such document");
    expect_below(labels, counts.n_labels(), "no such label");
    expect(labels.size() == rows.size() && weights.size() == rows.size(), "each document needs a label and a weight");
    expect(rows.n_columns() <= counts.n_terms(), "no such term");
    for (std::size_t k = 0; k < documents.size(); ++k) {
        const std::size_t i = documents(k);
        const Id label = static_cast<Id>(labels(i));
        counts.add_document(label, weights(i));
        constexpr std::size_t ahead = 12;
        const auto entries = rows[i].entries;
        for (std::size_t e = 0; e < entries.size(); ++e) {
            if (e + ahead < entries.size()) counts.expect(entries[e + ahead].term);
            counts.add(entries[e].term, label, to_units(entries[e].count, weights(i)), weights(i));
        }
    }
    counts.settle();
}

using ScoresOut = std::pair<Floats, std::size_t>;

// log P(document | label) of these documents.
Floats score_documents(const Weights& weights, const Rows& rows, Numbers documents, std::size_t threads) {
    expect_below(documents, rows.size(), "no such document");
    expect(rows.n_columns() <= weights.n_terms(), "no such term");
    const std::size_t n_labels = weights.n_labels();
    std::unique_ptr<double[]> scores(new double[documents.size() * n_labels]);
    {
        const nb::gil_scoped_release unlocked;
        constexpr std::size_t block = 64;
        share_out(threads, (documents.size() + block - 1) / block, [&](std::size_t, std::size_t b) {
            Weights::Sum sum;
            for (std::size_t k = b * block; k < std::min(documents.size(), (b + 1) * block); ++k) {
                const Row row = rows[documents(k)];
                weights.begin(sum, scores.get() + k * n_labels);
                for (const auto& [term, count] : row.entries) weights.add(sum, term, weights.clips() ? 1 : count);
                sum.n_unknown += row.n_unknown;
                weights.finish(sum);
            }
        });
    }
    return take_array(std::move(scores), {documents.size(), n_labels});
}

using PackedArrays = std::tuple<Floats, Floats, Output<float>, Integers, Integers, Output<float>>;

PackedArrays pack_weights(const Weights& weights, Numbers terms) {
    expect_below(terms, weights.n_terms(), "no such term");
    const Weights::Packed packed = weights.pack({terms.data(), terms.size()});
    return {copy_array<double>(packed.of_label),      copy_array<double>(packed.offset),       copy_array<float>(packed.of_term),
            copy_array<std::int64_t>(packed.starts), copy_array<std::int64_t>(packed.labels), copy_array<float>(packed.values)};
}

Weights unpack_weights(const Model& model, Input<double> of_label, Input<double> offset, Input<float> of_term, Numbers starts,
                       Numbers labels, Input<float> values) {
    expect(of_label.size() == offset.size() && starts.size() == of_term.size() + 1 && labels.size() == values.size(), "no weights");
    expect(starts(0) == 0 && static_cast<std::uint64_t>(starts(of_term.size())) == labels.size(), "no weights");
    for (std::size_t i = 0; i + 1 < starts.size(); ++i) expect(starts(i) <= starts(i + 1), "no weights");
    expect_below(labels, of_label.size(), "no such label");
    const auto list = [](auto array) { return std::vector(array.data(), array.data() + array.size()); };
    return Weights(model, {list(of_label), list(offset), list(of_term), list(values), list(starts), list(labels)});
}

// The documents without themselves: taken[starts[i] … starts[i + 1]] goes out with document i.
Floats leave_out(const Counts& counts, const Model& model, const Rows& rows, Numbers starts, Numbers labels, Numbers weights,
                 std::size_t threads) {
    check_model(counts, model);
    expect(starts.size() == rows.size() + 1 && labels.size() == weights.size(), "each document needs what is taken with it");
    expect(rows.n_columns() <= counts.n_terms(), "no such term");
    for (std::size_t i = 0; i + 1 < starts.size(); ++i) expect(starts(i) <= starts(i + 1), "what is taken does not fit");
    expect(starts(0) == 0 && static_cast<std::uint64_t>(starts(rows.size())) == labels.size(), "what is taken does not fit");
    expect_below(labels, counts.n_labels(), "no such label");
    const std::size_t n_labels = counts.n_labels();
    std::unique_ptr<double[]> scores(new double[rows.size() * n_labels]);
    {
        const nb::gil_scoped_release unlocked;
        const LeftOut left_out(counts, model);
        constexpr std::size_t block = 64;
        share_out(threads, (rows.size() + block - 1) / block, [&](std::size_t, std::size_t b) {
            LeftDocument left;
            std::vector<Taken> taken;
            for (std::size_t i = b * block; i < std::min(rows.size(), (b + 1) * block); ++i) {
                taken.clear();
                for (std::int64_t k = starts(i); k < starts(i + 1); ++k) taken.push_back({static_cast<Id>(labels(k)), weights(k)});
                left_out.take(rows[i], taken, left);
                left_out.score(model.formula, left, scores.get() + i * n_labels);
            }
        });
    }
    return take_array(std::move(scores), {rows.size(), n_labels});
}

std::vector<Formula> formulas_of(const Counts& counts, const std::vector<const Model*>& models) {
    expect(!models.empty(), "no model");
    std::vector<Formula> formulas;
    for (const Model* model : models) {
        expect(model && model->formula.likelihood == models[0]->formula.likelihood, "models of one likelihood");
        check_model(counts, *model);
        formulas.push_back(model->formula);
    }
    return formulas;
}

// For each model, how likely the labels of the documents are; the prior is the share of the documents, or given.
std::vector<double> label_likelihood(const Counts& counts, const std::vector<const Model*>& models, const Rows& rows, Numbers labels,
                                     Numbers weights, const std::optional<Input<double>>& prior, std::size_t threads) {
    const std::vector<Formula> formulas = formulas_of(counts, models);
    expect(labels.size() == rows.size() && weights.size() == rows.size(), "each document needs a label and a weight");
    expect(rows.n_columns() <= counts.n_terms(), "no such term");
    expect(!prior || prior->size() == counts.n_labels(), "each label needs a prior");
    expect_below(labels, counts.n_labels(), "no such label");
    const nb::gil_scoped_release unlocked;
    const LeftOut left_out(counts, *models[0]);
    LabelLikelihood total(left_out, formulas, counts, prior ? prior->data() : nullptr);
    std::mutex mutex;
    constexpr std::size_t block = 64;
    share_out(threads, (rows.size() + block - 1) / block, [&](std::size_t, std::size_t b) {
        LabelLikelihood part(left_out, formulas, counts, prior ? prior->data() : nullptr);
        LeftDocument left;
        std::vector<double> scores;
        for (std::size_t i = b * block; i < std::min(rows.size(), (b + 1) * block); ++i)
            part.add(rows[i], {static_cast<Id>(labels(i)), weights(i)}, left, scores);
        const std::lock_guard lock(mutex);
        total.add(part);
    });
    return total.best();
}

// For each model, how likely the occurrences of the table are.
std::vector<double> occurrence_likelihood(const Counts& counts, const std::vector<const Model*>& models, std::size_t threads) {
    const std::vector<Formula> formulas = formulas_of(counts, models);
    const nb::gil_scoped_release unlocked;
    const LeftOut left_out(counts, *models[0]);
    std::vector<double> result(formulas.size());
    share_out(threads, formulas.size(), [&](std::size_t, std::size_t f) { result[f] = left_out.occurrence_likelihood(formulas[f]); });
    return result;
}

// A table with the readers that look into it. Many may read at once, one alone may change it.
class TableObject {
  public:
    TableObject(const Recipe& recipe, Table table) : recipe_(recipe), table_(std::move(table)) { renew_readers(); }
    TableObject(const Recipe& recipe, std::size_t n_labels) : TableObject(recipe, Table{}) {
        expect(n_labels < max_ids, "too many labels");
        table_.counts = Counts(static_cast<Id>(n_labels));
    }

    const Counts& counts() const { return table_.counts; }
    std::size_t size() const { return table_.vocabulary.columns.n; }

    void add(const TableObject& other) {
        expect(&other != this && other.counts().n_labels() == counts().n_labels(), "the tables must have the same labels");
        // With the GIL: whoever reads the counts has it, or the lock.
        const std::unique_lock lock(mutex_);
        table_.add(other.table_);
        renew_readers();
    }
    bool subtract(const TableObject& other) {
        expect(&other != this && other.counts().n_labels() == counts().n_labels(), "the tables must have the same labels");
        const std::unique_lock lock(mutex_);
        return table_.subtract(other.table_);
    }
    void place_labels(Numbers places, std::size_t n_labels) {
        expect(n_labels < max_ids, "too many labels");
        const std::vector<Id> list = read_places(places, counts().n_labels(), static_cast<Id>(n_labels));
        const std::unique_lock lock(mutex_);
        table_.place_labels(list, static_cast<Id>(n_labels));
    }

    // With `of_length`, only the kind of terms that the length of a document counts.
    Integers order(bool of_length) const {
        std::vector<Id> order;
        {
            const nb::gil_scoped_release unlocked;
            const std::shared_lock lock(mutex_);
            order = table_.canonical_order(recipe_, of_length ? std::optional(kind_of_length(recipe_)) : std::nullopt);
        }
        return copy_array<std::int64_t>(order);
    }
    Strings terms() const { return spell_terms(recipe_, table_.vocabulary); }

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
        readers_->read(texts.get(), 1, [&](Reader& reader, std::size_t i) {
            for (Id column : reader.find(texts.get()[i])) found.push_back(column == none ? -1 : std::int64_t{column});
        });
        return copy_array<std::int64_t>(found);
    }

    ScoresOut log_joint(const Weights& weights, const Texts& texts, Input<double> prior, std::size_t threads) {
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

    std::pair<Integers, std::size_t> predict(const Weights& weights, const Texts& texts, Input<double> prior, std::size_t threads) {
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
    void renew_readers() { readers_ = std::make_unique<Readers>(recipe_, table_.vocabulary); }

    static void score_document(const Weights& weights, Reader& reader, const Document& document, double* scores) {
        static thread_local Weights::Sum sum;
        weights.begin(sum, scores);
        // A table that has learned on may have terms that these weights do not know yet.
        const auto add = [&](Id term, double count) { term < weights.n_terms() ? weights.add(sum, term, count) : void(sum.n_unknown += count); };
        if (weights.clips()) {
            const Row row = reader.read(document);
            for (const Entry& entry : row.entries) add(entry.term, 1);
            sum.n_unknown += row.n_unknown;
        } else {
            constexpr std::size_t ahead = 8;
            const std::vector<Id>& found = reader.find(document);
            const auto is_coming = [&](std::size_t i) { return i < found.size() && found[i] < weights.n_terms(); };
            for (std::size_t i = 0; i < found.size(); ++i) {
                if (is_coming(i + 2 * ahead)) weights.expect(found[i + 2 * ahead]);
                if (is_coming(i + ahead)) weights.expect_values(found[i + ahead]);
                add(found[i], 1);
            }
        }
        weights.finish(sum);
    }

    Recipe recipe_;
    Table table_;
    std::unique_ptr<Readers> readers_;
    mutable std::shared_mutex mutex_;
};

TableObject* import_table(const Recipe& recipe, const Strings& terms, const Counts& counts, Numbers labels, Numbers lengths,
                          Numbers documents) {
    expect(terms.size() == counts.n_terms(), "each term needs a row");
    expect(labels.size() == lengths.size() && labels.size() == documents.size(), "no table");
    expect_below(labels, counts.n_labels(), "no such label");
    expect_below(lengths, std::size_t{1} << 32, "no such length");
    Table table{.counts = counts};
    for (std::size_t i = 0; i < terms.size(); ++i)
        read_term(recipe, bytes_of(nb::cast<nb::str>(terms[i])), static_cast<Id>(i), table.vocabulary);
    table.vocabulary.columns.n = counts.n_terms();
    std::size_t n_found = 0;
    for (const auto& columns : table.vocabulary.columns.of_kind)
        n_found += columns.size() - static_cast<std::size_t>(std::count(columns.begin(), columns.end(), none));
    expect(n_found == terms.size(), "a term is there twice");
    for (std::size_t i = 0; i < labels.size(); ++i)
        table.lengths[{static_cast<Id>(labels(i)), static_cast<std::uint32_t>(lengths(i))}] = documents(i);
    return new TableObject(recipe, std::move(table));
}

struct TableCounterObject {
    Recipe recipe;
    std::size_t n_labels;
    TableCounter counter;

    TableCounterObject(const Recipe& r, std::size_t n, std::size_t threads)
        : recipe(r), n_labels(n), counter(recipe, static_cast<Id>(std::min<std::size_t>(n, none)), threads) {}

    void add(const Texts& texts, Numbers labels, const std::optional<Numbers>& weights) {
        expect(labels.size() == texts.get().size(), "as many labels as texts are needed");
        expect(!weights || weights->size() == labels.size(), "as many weights as texts are needed");
        expect_below(labels, n_labels, "no such label");
        if (weights) expect_below(*weights, std::size_t{1} << 62, "no such weight");
        const nb::gil_scoped_release unlocked;
        counter.add(texts.get(), labels.data(), weights ? weights->data() : nullptr);
    }

    TableObject* take() {
        Table table;
        {
            const nb::gil_scoped_release unlocked;
            table = counter.take();
        }
        return new TableObject(recipe, std::move(table));
    }
};

Output<std::uint64_t> fingerprint_texts(const Texts& texts, std::size_t threads) {
    const Documents documents = texts.get();
    std::unique_ptr<std::uint64_t[]> prints(new std::uint64_t[documents.size() * 2]);
    {
        const nb::gil_scoped_release unlocked;
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

void bind_tables(nb::module_& m) {
    m.def("fingerprint", &fingerprint_texts, "texts"_a, "threads"_a = 1);

    nb::class_<Rows>(m, "Rows")
        .def_static("from_matrix", &rows_from_matrix, "ends"_a, "terms"_a, "counts"_a)
        .def_static("join", [](const std::vector<const Rows*>& parts) {
            Rows rows;
            for (const Rows* part : parts) {
                expect(part, "no rows");
                rows.append(*part);
            }
            return rows;
        }, "parts"_a)
        .def("pick", [](const Rows& rows, Numbers documents) {
            expect_below(documents, rows.size(), "no such document");
            Rows picked;
            for (std::size_t k = 0; k < documents.size(); ++k) picked.append(rows[documents(k)].entries, rows[documents(k)].n_unknown);
            return picked;
        }, "documents"_a)
        .def("__len__", &Rows::size)
        .def("n_unknown", [](const Rows& rows) {
            std::vector<double> unknown;
            for (std::size_t i = 0; i < rows.size(); ++i) unknown.push_back(rows[i].n_unknown);
            return copy_array<double>(unknown);
        });

    nb::class_<Counts>(m, "Counts")
        .def(nb::init<Id, Id>(), "n_labels"_a, "n_terms"_a)
        .def_static("from_cells", &import_cells, "n_documents"_a, "starts"_a, "labels"_a, "occurrences"_a, "documents"_a)
        .def_prop_ro("n_terms", &Counts::n_terms)
        .def("n_documents", [](const Counts& counts) { return copy_array<std::int64_t>(counts.n_documents()); })
        .def("cells", &export_cells, "terms"_a)
        .def("copy", [](const Counts& counts) { return Counts(counts); })
        .def("add_rows", &add_rows, "rows"_a, "documents"_a, "labels"_a, "weights"_a)
        .def("add", [](Counts& self, const Counts& other) {
            expect(self.n_terms() == other.n_terms() && self.n_labels() == other.n_labels() && &self != &other, "the counts do not fit");
            self.add(other, same_terms(other));
        }, "other"_a)
        .def("subtract", [](Counts& self, const Counts& other) {
            expect(self.n_terms() == other.n_terms() && self.n_labels() == other.n_labels() && &self != &other, "the counts do not fit");
            const std::vector<Id> terms = same_terms(other);
            const bool covers = self.covers(other, terms);
            if (covers) self.subtract(other, terms);
            return covers;
        }, "other"_a)
        .def("covers", [](const Counts& self, const Counts& other) {
            expect(self.n_terms() == other.n_terms() && self.n_labels() == other.n_labels(), "the counts do not fit");
            return self.covers(other, same_terms(other));
        }, "other"_a)
        .def("place_labels", [](const Counts& self, Numbers places, Id n_labels) {
            return self.place_labels(read_places(places, self.n_labels(), n_labels), n_labels);
        }, "places"_a, "n_labels"_a);

    nb::class_<Model>(m, "Model")
        .def("__init__",
             [](Model* self, const std::string& likelihood, const std::string& smoothing, double value, bool open, bool shared,
                bool unknown_term, std::int64_t min_documents, const std::optional<Input<std::uint8_t>>& kept) {
                 new (self) Model{{choose<Likelihood>({{"multinomial", Likelihood::multinomial},
                                                       {"binary", Likelihood::binary},
                                                       {"bernoulli", Likelihood::bernoulli},
                                                       {"complement", Likelihood::complement}},
                                                      likelihood),
                                   choose<Way>({{"additive", Way::additive},
                                                {"jelinek_mercer", Way::jelinek_mercer},
                                                {"dirichlet", Way::dirichlet},
                                                {"absolute_discount", Way::absolute_discount}},
                                               smoothing),
                                   value},
                                  open, shared, unknown_term, min_documents};
                 if (kept) self->kept.assign(kept->data(), kept->data() + kept->size());
             },
             nb::kw_only(), "likelihood"_a, "smoothing"_a, "value"_a, "open"_a, "shared"_a, "unknown_term"_a, "min_documents"_a,
             "kept"_a.none());

    nb::class_<Weights>(m, "Weights")
        .def("__init__",
             [](Weights* self, const Counts& counts, const Model& model) {
                 check_model(counts, model);
                 new (self) Weights(counts, model);
             },
             "counts"_a, "model"_a)
        .def("score", &score_documents, "rows"_a, "documents"_a, "threads"_a = 1)
        .def_static("unpack", &unpack_weights, "model"_a, "of_label"_a, "offset"_a, "of_term"_a, "starts"_a, "labels"_a, "values"_a)
        .def("pack", &pack_weights, "terms"_a)
        .def("n_counted", [](const Weights& weights, const Rows& rows) {
            std::vector<double> counted;
            expect(rows.n_columns() <= weights.n_terms(), "no such term");
            for (std::size_t i = 0; i < rows.size(); ++i) counted.push_back(weights.n_counted(rows[i]));
            return copy_array<double>(counted);
        }, "rows"_a)
        .def("offset", [](const Weights& weights) { return copy_array<double>(weights.offset()); })
        .def("knows", [](const Weights& weights, Numbers terms) {
            expect_below(terms, weights.n_terms(), "no such term");
            std::unique_ptr<bool[]> known(new bool[terms.size()]);
            for (std::size_t i = 0; i < terms.size(); ++i) known[i] = weights.knows(static_cast<Id>(terms(i)));
            return take_array(std::move(known), {terms.size()});
        }, "terms"_a)
        .def("log_probabilities", [](const Weights& weights, Numbers terms) {
            const std::size_t n_labels = weights.n_labels();
            std::unique_ptr<double[]> values(new double[terms.size() * n_labels]);
            for (std::size_t i = 0; i < terms.size(); ++i) {
                expect(terms(i) < std::int64_t{weights.n_terms()}, "no such term");
                weights.explain(terms(i) < 0 ? none : static_cast<Id>(terms(i)), values.get() + i * n_labels);
            }
            return take_array(std::move(values), {terms.size(), n_labels});
        }, "terms"_a);

    m.def("leave_out", &leave_out, "counts"_a, "model"_a, "rows"_a, "starts"_a, "labels"_a, "weights"_a, "threads"_a = 1);
    m.def("label_likelihood", &label_likelihood, "counts"_a, "models"_a, "rows"_a, "labels"_a, "weights"_a, "prior"_a.none(),
          "threads"_a = 1);
    m.def("occurrence_likelihood", &occurrence_likelihood, "counts"_a, "models"_a, "threads"_a = 1);

    nb::class_<TableObject>(m, "Table")
        .def(nb::init<const Recipe&, std::size_t>(), "recipe"_a, "n_labels"_a)
        .def_static("from_arrays", &import_table, "recipe"_a, "terms"_a, "counts"_a, "labels"_a, "lengths"_a, "documents"_a)
        .def_prop_ro("counts", &TableObject::counts, nb::rv_policy::reference_internal)
        .def("__len__", &TableObject::size)
        .def("add", &TableObject::add, "other"_a)
        .def("subtract", &TableObject::subtract, "other"_a)
        .def("place_labels", &TableObject::place_labels, "places"_a, "n_labels"_a)
        .def("order", &TableObject::order, "of_length"_a = false)
        .def("terms", &TableObject::terms)
        .def("lengths", &TableObject::lengths)
        .def("rows", &TableObject::rows, "texts"_a, "threads"_a = 1)
        .def("find", &TableObject::find, "texts"_a)
        .def("log_joint", &TableObject::log_joint, "weights"_a, "texts"_a, "prior"_a, "threads"_a = 1)
        .def("predict", &TableObject::predict, "weights"_a, "texts"_a, "prior"_a, "threads"_a = 1);

    nb::class_<TableCounterObject>(m, "TableCounter")
        .def(nb::init<const Recipe&, std::size_t, std::size_t>(), "recipe"_a, "n_labels"_a, "threads"_a = 1)
        .def("add", &TableCounterObject::add, "texts"_a, "labels"_a.noconvert(), "weights"_a.noconvert().none() = nb::none())
        .def("take", &TableCounterObject::take);
}

}  // namespace tercet
