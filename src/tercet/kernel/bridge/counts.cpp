// Rows and Counts.
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bridge/arrays.hpp"
#include "bridge/module.hpp"
#include "bridge/squares.hpp"
#include "counts/counts.hpp"
#include "counts/rows.hpp"

namespace tercet {

namespace {

// Whether all terms are different. Usually they are sorted.
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

// (starts, labels, occurrences, documents) of these terms, in this order, without empty cells.
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

// Integers of any width, as they come from a file.
class AnyNumbers {
  public:
    using Array = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
    explicit AnyNumbers(const Array& array) : data_(array.data()), size_(array.size()), width_(array.itemsize()) {
        const auto code = static_cast<nb::dlpack::dtype_code>(array.dtype().code);
        expect(code == nb::dlpack::dtype_code::UInt || (code == nb::dlpack::dtype_code::Int && width_ == 8), "no whole numbers");
    }
    std::size_t size() const { return size_; }
    // A negative number becomes a number above 2⁶³, which is too large for a count.
    std::uint64_t operator[](std::size_t i) const {
        switch (width_) {
            case 1: return static_cast<const std::uint8_t*>(data_)[i];
            case 2: return static_cast<const std::uint16_t*>(data_)[i];
            case 4: return static_cast<const std::uint32_t*>(data_)[i];
            default: return static_cast<const std::uint64_t*>(data_)[i];
        }
    }

  private:
    const void* data_;
    std::size_t size_, width_;
};

// Counts from cells: `sizes` has the number of cells of each term, the other arrays have the cells of all terms. Counts are multiplied
// by the unit. The labels of a term must be in rising order.
Counts import_cells(const AnyNumbers::Array& n_documents, Squares squares, const AnyNumbers::Array& sizes,
                    const AnyNumbers::Array& labels, const AnyNumbers::Array& occurrences, const AnyNumbers::Array& documents, Units unit) {
    const AnyNumbers of_label(n_documents), n_cells(sizes), label(labels), occurrence(occurrences), document(documents);
    expect(label.size() == occurrence.size() && label.size() == document.size() && unit > 0, "no table");
    expect(n_cells.size() < max_ids && of_label.size() < max_ids, "no table");
    expect(squares.shape(0) == of_label.size() && squares.shape(1) == 2, "no table");
    Counts counts(static_cast<Id>(of_label.size()), static_cast<Id>(n_cells.size()));
    // Each sum has the room that learning gives it (`Counts::check_room`), so what was learned can be read again.
    double total = 0, n_occurrences = 0, n_in_cells = 0;
    const auto read = [&](std::uint64_t number, double& sum) {
        sum += static_cast<double>(number) * static_cast<double>(unit);
        expect(sum <= static_cast<double>(max_units), "the sums are too large, or below zero");
        return static_cast<Units>(number) * unit;
    };
    for (std::size_t i = 0; i < of_label.size(); ++i) {
        const Units n = read(of_label[i], total);
        const SquareSum sum{squares(i, 0), squares(i, 1)};
        expect(sum.fits(n), "no documents have these sums of weights and squared weights");
        counts.add_documents(static_cast<Id>(i), n, sum);
    }
    std::size_t begin = 0;
    for (std::size_t term = 0; term < n_cells.size(); ++term) {
        const std::uint64_t size = n_cells[term];
        expect(size <= label.size() - begin && size <= of_label.size(), "no table");
        counts.fill_row(static_cast<Id>(term), static_cast<std::uint32_t>(size), [&](std::uint32_t k) {
            const std::size_t i = begin + k;
            if (label[i] >= of_label.size()) throw nb::index_error("no such label");
            expect(k == 0 || label[i - 1] < label[i], "the labels of a term must rise");
            return Cell{static_cast<Id>(label[i]), read(occurrence[i], n_occurrences), read(document[i], n_in_cells)};
        });
        begin += size;
    }
    expect(begin == label.size(), "no table");
    return counts;
}

// The sums of the squared weights in each of n places.
SquareArray sum_squares(Numbers weights, Numbers places, std::size_t n) {
    expect(weights.size() == places.size(), "each weight needs a place");
    expect_below(places, n, "no such place");
    std::vector<SquareSum> sums(n);
    for (std::size_t i = 0; i < weights.size(); ++i) sums[places(i)] += SquareSum::square(weights(i));
    return copy_squares(sums);
}

// Counts that are about to change. Weights that score from the counts of a table do so without the GIL, so only the table may change
// these counts, because it has a lock.
Counts& expect_unwatched(Counts& counts) {
    expect(!counts.is_watched(), "weights read these counts: change the table instead");
    return counts;
}

// Add documents with their weights, or remove them if the weight is negative.
void add_rows(Counts& counts, const Rows& rows, Numbers documents, Numbers labels, Numbers weights) {
    expect_unwatched(counts);
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
            if (e + ahead < entries.size()) counts.prefetch(entries[e + ahead].term);
            counts.add(entries[e].term, label, to_units(entries[e].count, weights(i)), weights(i));
        }
    }
    counts.settle();
}

// (ends, terms, counts): the CSR matrix of the rows, without the unknown terms.
std::tuple<Integers, Output<std::int32_t>, Floats> export_rows(const Rows& rows) {
    std::vector<std::int64_t> ends{0};
    LargeVector<std::int32_t> terms(rows.n_entries());
    LargeVector<double> counts(rows.n_entries());
    std::size_t n = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (const auto& [term, count] : rows[i].entries) {
            terms[n] = static_cast<std::int32_t>(term);
            counts[n++] = count;
        }
        ends.push_back(static_cast<std::int64_t>(n));
    }
    return {copy_array<std::int64_t>(ends), take_array(std::move(terms), {n}), take_array(std::move(counts), {n})};
}

}  // namespace

void bind_counts(nb::module_& m) {
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
        })
        .def("arrays", &export_rows);

    m.def("sum_squares", &sum_squares, "weights"_a, "places"_a, "n"_a);

    nb::class_<Counts>(m, "Counts")
        .def(nb::init<Id, Id>(), "n_labels"_a, "n_terms"_a)
        .def_static("from_cells", &import_cells, "n_documents"_a, "squares"_a, "sizes"_a, "labels"_a, "occurrences"_a, "documents"_a,
                    "unit"_a = 1)
        .def_prop_ro("n_terms", &Counts::n_terms)
        .def("n_met", [](Counts& counts) { return counts.met().size(); })
        .def("n_documents", [](const Counts& counts) { return copy_array<std::int64_t>(counts.n_documents()); })
        .def("squares", [](const Counts& counts) { return copy_squares(counts.squares()); })
        .def("cells", &export_cells, "terms"_a)
        .def("copy", [](const Counts& counts) { return Counts(counts); })
        .def("add_rows", &add_rows, "rows"_a, "documents"_a, "labels"_a, "weights"_a)
        .def("add", [](Counts& self, const Counts& other) {
            expect(self.n_terms() == other.n_terms() && self.n_labels() == other.n_labels() && &self != &other, "the counts do not fit");
            expect_unwatched(self).add(other, same_terms(other));
        }, "other"_a)
        .def("subtract", [](Counts& self, const Counts& other) {
            expect(self.n_terms() == other.n_terms() && self.n_labels() == other.n_labels() && &self != &other, "the counts do not fit");
            const std::vector<Id> terms = same_terms(other);
            const bool covers = self.covers(other, terms);
            if (covers) expect_unwatched(self).subtract(other, terms);
            return covers;
        }, "other"_a)
        .def("covers", [](const Counts& self, const Counts& other) {
            expect(self.n_terms() == other.n_terms() && self.n_labels() == other.n_labels(), "the counts do not fit");
            return self.covers(other, same_terms(other));
        }, "other"_a)
        .def("place_labels", [](const Counts& self, Numbers places, Id n_labels) {
            return self.place_labels(read_places(places, self.n_labels(), n_labels), n_labels);
        }, "places"_a, "n_labels"_a);
}

}  // namespace tercet
