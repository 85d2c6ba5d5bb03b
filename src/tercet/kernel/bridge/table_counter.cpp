// Labelled documents → a table: TableCounter and KeptTerms.
#include <nanobind/stl/optional.h>

#include <optional>

#include "bridge/gil.hpp"
#include "bridge/module.hpp"
#include "bridge/table.hpp"
#include "counts/table_counter.hpp"

namespace tercet {

namespace {

// The new numbers of labels, all different and below n_new. A negative number becomes `none`: the label is left out.
std::vector<Id> read_any_places(Numbers places, std::size_t n_labels, std::size_t n_new) {
    expect(places.size() == n_labels && n_new <= n_labels, "each label needs a place");
    std::vector<bool> is_taken(n_new);
    std::vector<Id> result;
    for (std::size_t i = 0; i < places.size(); ++i) {
        expect(places(i) < static_cast<std::int64_t>(n_new) && (places(i) < 0 || !is_taken[places(i)]), "no such place");
        if (places(i) >= 0) is_taken[places(i)] = true;
        result.push_back(places(i) < 0 ? none : static_cast<Id>(places(i)));
    }
    return result;
}

class TableCounterObject {
  public:
    TableCounterObject(const Recipe& r, std::size_t n, std::size_t threads, bool keeps)
        : recipe_(r), counter_(recipe_, clip(n), threads, keeps) {}

    void grow_labels(std::size_t n) { counter_.grow_labels(clip(n)); }

    nb::bytes add(const Texts& texts, Numbers labels, const std::optional<Numbers>& weights) {
        expect(labels.size() == texts.get().size(), "as many labels as texts are needed");
        expect(!weights || weights->size() == labels.size(), "as many weights as texts are needed");
        expect_below(labels, counter_.n_labels(), "no such label");
        if (weights) expect_below(*weights, std::size_t{1} << 62, "no such weight");
        std::string rows;
        {
            const GilReleased unlocked;
            rows = counter_.add(texts.get(), labels.data(), weights ? weights->data() : nullptr);
        }
        return nb::bytes(rows.data(), rows.size());
    }

    TableObject* take(const std::optional<Numbers>& places, std::size_t n_labels) {
        std::vector<Id> list;
        if (places) list = read_any_places(*places, counter_.n_labels(), n_labels);
        Table table;
        {
            const GilReleased unlocked;
            table = counter_.take(list, static_cast<Id>(n_labels));
        }
        n_terms_ = table.counts.n_terms();
        return new TableObject(recipe_, std::move(table));
    }

    KeptTerms take_terms() { return counter_.take_terms(n_terms_); }

  private:
    static Id clip(std::size_t n) { return static_cast<Id>(std::min<std::size_t>(n, none)); }
    Recipe recipe_;
    TableCounter counter_;
    Id n_terms_ = 0;
};

Rows read_kept_rows(const KeptTerms& terms, const nb::bytes& block, const std::optional<Numbers>& documents, std::size_t threads) {
    const Bytes bytes(block.c_str(), block.size());
    const std::size_t n = KeptTerms::size(bytes);
    std::vector<std::int64_t> wanted;
    if (documents) {
        expect_below(*documents, n, "no such document");
        wanted.assign(documents->data(), documents->data() + documents->size());
    } else {
        for (std::size_t i = 0; i < n; ++i) wanted.push_back(static_cast<std::int64_t>(i));
    }
    const GilReleased unlocked;
    return terms.read(bytes, wanted, threads);
}

}  // namespace

void bind_table_counter(nb::module_& m) {
    nb::class_<TableCounterObject>(m, "TableCounter")
        .def(nb::init<const Recipe&, std::size_t, std::size_t, bool>(), "recipe"_a, "n_labels"_a, "threads"_a = 1, "keep"_a = false)
        .def("grow_labels", &TableCounterObject::grow_labels, "n_labels"_a)
        .def("add", &TableCounterObject::add, "texts"_a, "labels"_a.noconvert(), "weights"_a.noconvert().none() = nb::none())
        .def("take", &TableCounterObject::take, "places"_a.none() = nb::none(), "n_labels"_a = 0)
        .def("take_terms", &TableCounterObject::take_terms);

    nb::class_<KeptTerms>(m, "KeptTerms")
        .def("rows", &read_kept_rows, "block"_a, "documents"_a.none() = nb::none(), "threads"_a = 1);
}

}  // namespace tercet
