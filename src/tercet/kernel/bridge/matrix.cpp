// Matrices of counts: Vocabulary and MatrixCounter.
#include <nanobind/stl/pair.h>

#include <optional>

#include "bridge/gil.hpp"
#include "bridge/module.hpp"
#include "bridge/texts.hpp"
#include "bridge/vocabulary.hpp"
#include "counts/matrix.hpp"
#include "terms/spelling.hpp"

namespace tercet {

namespace {

// (data, indices, indptr). The indices have 32 bits if that is enough, as in scipy.
using Csr = nb::typed<nb::tuple, Output<std::int64_t>, nb::object, nb::object>;

template <class Index, class Writer>
Csr write_rows(Writer& rows, bool binary) {
    LargeVector<std::int64_t> counts(rows.n_entries());
    LargeVector<Index> columns(rows.n_entries()), ends(rows.n_rows() + 1);
    {
        const GilReleased unlocked;
        rows.write(ends.data(), columns.data(), counts.data(), binary);
    }
    const std::size_t n = rows.n_entries();
    return Csr(nb::make_tuple(take_array(std::move(counts), {n}), take_array(std::move(columns), {n}),
                              take_array(std::move(ends), {rows.n_rows() + 1})));
}

template <class Writer>
Csr make_csr(Writer&& rows, std::size_t n_columns, bool binary) {
    const bool narrow = std::max(rows.n_entries(), n_columns) <= 0x7FFFFFFF;
    return narrow ? write_rows<std::int32_t>(rows, binary) : write_rows<std::int64_t>(rows, binary);
}

struct VocabularyObject {
    Recipe recipe;
    Vocabulary vocabulary;

    VocabularyObject(const Recipe& r, Vocabulary v) : recipe(r), vocabulary(std::move(v)) {}
    VocabularyObject(const Recipe& r, const Strings& terms) : recipe(r) {
        for (std::size_t i = 0; i < terms.size(); ++i)
            read_term(recipe, bytes_of(nb::cast<nb::str>(terms[i])), static_cast<Id>(i), vocabulary);
    }

    Strings terms() const { return spell_terms(recipe, vocabulary); }

    Csr count(const Texts& texts, std::size_t threads, bool binary) const {
        std::vector<PackedRows> parts;
        const auto column = [](std::size_t, std::uint64_t code) { return static_cast<Id>(code); };
        std::optional<RowWriter<decltype(column)>> rows;
        {
            const GilReleased unlocked;
            parts = look_up(vocabulary, recipe, texts.get(), threads);
            rows.emplace(parts, vocabulary.columns.n, threads, true, column);
        }
        return make_csr(*rows, vocabulary.columns.n, binary);
    }
};

struct MatrixCounterObject {
    Recipe recipe;
    MatrixCounter counter;

    MatrixCounterObject(const Recipe& r, std::size_t threads) : recipe(r), counter(recipe, threads) {}

    std::pair<Output<std::int64_t>, Output<std::int64_t>> sum_columns() const {
        const std::size_t n = counter.n_terms();
        std::unique_ptr<std::int64_t[]> documents(new std::int64_t[n]()), occurrences(new std::int64_t[n]());
        {
            const GilReleased unlocked;
            counter.sum_columns(documents.get(), occurrences.get());
        }
        return {take_array(std::move(documents), {n}), take_array(std::move(occurrences), {n})};
    }

    void select(Input<std::int64_t> terms) {
        std::vector<Id> new_columns(counter.n_terms(), none);
        for (std::size_t i = 0; i < terms.size(); ++i) {
            if (terms(i) < 0 || static_cast<std::uint64_t>(terms(i)) >= new_columns.size()) throw nb::index_error("no such term");
            new_columns[terms(i)] = static_cast<Id>(i);
        }
        const GilReleased unlocked;
        counter.select(std::move(new_columns));
    }

    Csr matrix(bool binary) {
        std::optional<decltype(counter.rows())> rows;
        {
            const GilReleased unlocked;
            rows.emplace(counter.rows());
        }
        return make_csr(*rows, counter.n_terms(), binary);
    }
    VocabularyObject* vocabulary() { return new VocabularyObject(recipe, counter.take_vocabulary()); }
};

}  // namespace

void bind_matrix(nb::module_& m) {
    nb::class_<VocabularyObject>(m, "Vocabulary")
        .def(nb::init<const Recipe&, const Strings&>(), "recipe"_a, "terms"_a)
        .def("__len__", [](const VocabularyObject& v) { return v.vocabulary.columns.n; })
        .def("terms", &VocabularyObject::terms)
        .def("count", &VocabularyObject::count, "texts"_a, "threads"_a = 1, "binary"_a = false);

    nb::class_<MatrixCounterObject>(m, "MatrixCounter")
        .def(nb::init<const Recipe&, std::size_t>(), "recipe"_a, "threads"_a = 1)
        .def("add", [](MatrixCounterObject& self, const Texts& texts) { self.counter.add(texts.get()); }, "texts"_a,
             nb::call_guard<GilReleased>())
        .def("finish", [](MatrixCounterObject& self) { self.counter.finish(); return self.counter.n_terms(); },
             nb::call_guard<GilReleased>())
        .def("sum_columns", &MatrixCounterObject::sum_columns)
        .def("select", &MatrixCounterObject::select, "terms"_a)
        .def("matrix", &MatrixCounterObject::matrix, "binary"_a = false)
        .def("vocabulary", &MatrixCounterObject::vocabulary);
}

}  // namespace tercet
