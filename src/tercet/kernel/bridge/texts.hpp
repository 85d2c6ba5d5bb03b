// Strings, and the texts of documents without a copy.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <span>
#include <string>
#include <vector>

#include "base/documents.hpp"
#include "bridge/arrays.hpp"

namespace tercet {

using Strings = nb::typed<nb::list, nb::str>;

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

// Documents, and the Python objects that own their memory.
class Texts {
  public:
    // `first` is the position of the first document in the user's input, for error messages.
    Texts(const nb::typed<nb::list, nb::object>& texts, std::size_t first) {
        documents_.reserve(texts.size());
        owners_.reserve(texts.size());
        for (std::size_t i = 0; i < texts.size(); ++i) {
            owners_.push_back(nb::borrow(texts[i]));  // owned here, because the list may change while other threads run
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

    // An Arrow array of strings: n + 1 offsets into the bytes. Lone surrogates are errors in Arrow, but not in texts of `join`.
    template <class Offset>
    static Texts from_arrow(
        Input<Offset> offsets, Input<std::uint8_t> bytes, nb::object owner, std::size_t first, bool surrogates) {
        Texts texts;
        texts.owners_.push_back(owner);
        for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
            const Offset begin = offsets(i), end = offsets(i + 1);
            if (begin < 0 || begin > end || static_cast<std::uint64_t>(end) > bytes.size())
                throw nb::value_error("the offsets of this Arrow array do not fit its data");
            texts.documents_.push_back({bytes.data() + begin, static_cast<std::size_t>(end - begin), 0});
            surrogates ? texts.check_text(i) : texts.check(i, first);
        }
        return texts;
    }

    Documents get() const { return documents_; }

    // The documents at these places.
    Texts pick(std::span<const std::int64_t> places) const {
        Texts texts;
        const bool own_each = owners_.size() == documents_.size();  // else one owner for all
        if (!own_each) texts.owners_ = owners_;
        for (std::int64_t i : places) {
            texts.documents_.push_back(documents_.at(static_cast<std::size_t>(i)));
            if (own_each) texts.owners_.push_back(owners_[static_cast<std::size_t>(i)]);
        }
        return texts;
    }

  private:
    Texts() = default;

    Bytes bytes(std::size_t i) const { return Bytes(static_cast<const char*>(documents_[i].data), documents_[i].size); }

    void check_text(std::size_t i) const {
        if (!is_text(bytes(i))) throw nb::value_error("the bytes are no text");
    }

    void check(std::size_t i, std::size_t first) const {
        const Bytes bytes = this->bytes(i);
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

}  // namespace tercet
