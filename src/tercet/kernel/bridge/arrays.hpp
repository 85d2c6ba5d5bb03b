// What the bridges to Python share: arrays in and out, strings, and texts as they lie in memory.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <memory>

#include "base/documents.hpp"
#include "base/large_vector.hpp"
#include "bayes/model.hpp"
#include "terms/spelling.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace tercet {

template <class T>
using Input = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Output = nb::ndarray<nb::numpy, T>;
using Strings = nb::typed<nb::list, nb::str>;
template <class T>
Output<T> take_array(std::unique_ptr<T[]> data, std::initializer_list<std::size_t> shape) {
    T* raw = data.release();
    const nb::capsule owner(raw, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return Output<T>(raw, shape, owner);
}

// The same for what may be large: on large pages, which a new array is filled with much faster.
template <class T>
Output<T> take_array(LargeVector<T> data, std::initializer_list<std::size_t> shape) {
    auto* const vector = new LargeVector<T>(std::move(data));
    const nb::capsule owner(vector, [](void* p) noexcept { delete static_cast<LargeVector<T>*>(p); });
    return Output<T>(vector->data(), shape, owner);
}

inline nb::str make_str(Bytes text) {
    PyObject* result = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogatepass");
    if (!result) throw nb::python_error();
    return nb::steal<nb::str>(result);
}

inline Document from_str(PyObject* text) {
    const auto size = static_cast<std::size_t>(PyUnicode_GET_LENGTH(text));
    const int unit = PyUnicode_IS_ASCII(text) ? 0 : static_cast<int>(PyUnicode_KIND(text));
    return {PyUnicode_DATA(text), size, static_cast<std::uint8_t>(unit)};
}

inline std::string bytes_of(const nb::str& text) {
    std::string bytes;
    from_str(text.ptr()).append_to(bytes);
    return bytes;
}

// Documents, and what keeps them alive.
class Texts {
  public:
    // `first` is the position of the first of them in the user's input, for error messages.
    Texts(const nb::typed<nb::list, nb::object>& texts, std::size_t first) {
        documents_.reserve(texts.size());
        owners_.reserve(texts.size());
        for (std::size_t i = 0; i < texts.size(); ++i) {
            owners_.push_back(nb::borrow(texts[i]));  // the list may change while other threads run
            PyObject* text = owners_.back().ptr();
            if (PyUnicode_Check(text)) {
                documents_.push_back(from_str(text));
            } else if (PyBytes_Check(text)) {
                documents_.push_back({PyBytes_AS_STRING(text), static_cast<std::size_t>(PyBytes_GET_SIZE(text)), 0});
                check(i, first);
            } else {
                refuse(first + i, owners_.back());
            }
        }
    }

    // An Arrow array of strings: n + 1 offsets into the bytes.
    template <class Offset>
    static Texts from_arrow(Input<Offset> offsets, Input<std::uint8_t> bytes, nb::object owner, std::size_t first) {
        Texts texts;
        texts.owners_.push_back(owner);
        for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
            const Offset begin = offsets(i), end = offsets(i + 1);
            if (begin < 0 || begin > end || static_cast<std::uint64_t>(end) > bytes.size())
                throw nb::value_error("the offsets of this Arrow array do not fit its data");
            texts.documents_.push_back({bytes.data() + begin, static_cast<std::size_t>(end - begin), 0});
            texts.check(i, first);
        }
        return texts;
    }

    Documents get() const { return documents_; }

    // Some of them.
    Texts pick(std::span<const std::int64_t> places) const {
        Texts texts;
        const bool own_each = owners_.size() == documents_.size();  // or one for all
        if (!own_each) texts.owners_ = owners_;
        for (std::int64_t i : places) {
            texts.documents_.push_back(documents_.at(static_cast<std::size_t>(i)));
            if (own_each) texts.owners_.push_back(owners_[static_cast<std::size_t>(i)]);
        }
        return texts;
    }

  private:
    Texts() = default;

    void check(std::size_t i, std::size_t first) const {
        const Bytes bytes(static_cast<const char*>(documents_[i].data), documents_[i].size);
        if (first_invalid(bytes) != bytes.size()) refuse(first + i, nb::bytes(bytes.data(), bytes.size()));
    }

    [[noreturn]] static void refuse(std::size_t position, nb::handle text) {
        const nb::object error = nb::module_::import_("tercet.errors").attr("bad_text")(position, text);
        PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
        throw nb::python_error();
    }

    std::vector<Document> documents_;
    std::vector<nb::object> owners_;
};

// The spelling of each column, in order; empty where a column has no term.
inline Strings spell_terms(const Recipe& recipe, const Vocabulary& vocabulary) {
    std::vector<std::pair<Kind, Id>> of_column(vocabulary.columns.n, {Kind::word, none});
    for (int kind = 0; kind < n_kinds; ++kind) {
        const auto& columns = vocabulary.columns.of_kind[kind];
        for (Id id = 0; id < columns.size(); ++id)
            if (columns[id] != none) of_column[columns[id]] = {static_cast<Kind>(kind), id};
    }
    Strings result;
    std::string raw;
    for (const auto& [kind, id] : of_column) {
        raw.clear();
        if (id != none) vocabulary.spell(kind, id, raw);
        result.append(make_str(write_term(recipe, kind, raw)));
    }
    return result;
}

template <class Choice>
Choice choose(const std::map<std::string, Choice>& choices, const std::string& name) {
    const auto found = choices.find(name);
    if (found == choices.end()) throw nb::value_error(("no such choice: " + name).c_str());
    return found->second;
}

using Integers = Output<std::int64_t>;
using Floats = Output<double>;
using Numbers = Input<std::int64_t>;

inline void expect(bool fits, const char* what) {
    if (!fits) throw nb::value_error(what);
}

inline void expect_below(Numbers values, std::size_t limit, const char* what) {
    for (std::size_t i = 0; i < values.size(); ++i)
        if (values(i) < 0 || static_cast<std::uint64_t>(values(i)) >= limit) throw nb::index_error(what);
}

template <class T, class List>
Output<T> copy_array(const List& values) {
    std::unique_ptr<T[]> data(new T[values.size()]);
    std::copy(values.begin(), values.end(), data.get());
    return take_array(std::move(data), {values.size()});
}

inline std::vector<Id> read_places(Numbers places, std::size_t n_labels, Id n_new) {
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

inline void check_model(const Counts& counts, const Model& model) {
    expect(model.kept.empty() || model.kept.size() == counts.n_terms(), "each term is kept or not");
}

void bind_left_out(nb::module_& m);
void bind_linear(nb::module_& m);
void bind_recipe(nb::module_& m);
void bind_scores(nb::module_& m);
void bind_tables(nb::module_& m);

}  // namespace tercet
