// The module `_native`. The bridge converts arguments and results, and releases the GIL. It does nothing else.
#include "bridge/module.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "base/packed_texts.hpp"
#include "bridge/gil.hpp"
#include "bridge/texts.hpp"
#include "text/sentences.hpp"

using namespace tercet;

namespace {

// Bytes that a string has, without a copy.
Output<std::uint8_t> take_bytes(std::string bytes) {
    auto* const owned = new std::string(std::move(bytes));
    const nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::string*>(p); });
    return Output<std::uint8_t>(reinterpret_cast<std::uint8_t*>(owned->data()), {owned->size()}, owner);
}

Bytes view_bytes(Input<std::uint8_t> bytes) { return Bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size()); }

using JoinedTexts = std::pair<Integers, Output<std::uint8_t>>;  // n + 1 offsets into the bytes

// Calls `append(i, bytes)` for each of n texts.
template <class Append>
JoinedTexts join_texts(std::size_t n, Append append) {
    LargeVector<std::int64_t> offsets(n + 1);
    std::string bytes;
    {
        const GilReleased unlocked;
        offsets[0] = 0;
        for (std::size_t i = 0; i < n; ++i) {
            append(i, bytes);
            offsets[i + 1] = static_cast<std::int64_t>(bytes.size());
        }
    }
    return {take_array(std::move(offsets), {n + 1}), take_bytes(std::move(bytes))};
}

std::pair<Output<std::uint8_t>, Output<std::uint8_t>> pack_texts(const Texts& texts) {
    PackedTexts packed;
    {
        const GilReleased unlocked;
        packed = TextPacker::pack(texts.get());
    }
    return {take_bytes(std::move(packed.dictionary)), take_bytes(std::move(packed.texts))};
}

JoinedTexts unpack_texts(Input<std::uint8_t> dictionary, Input<std::uint8_t> packed, std::size_t n) {
    if (n > packed.size()) throw TextUnpacker::damaged();  // each text has a byte
    TextUnpacker unpacker(view_bytes(dictionary), view_bytes(packed));
    JoinedTexts texts = join_texts(n, [&](std::size_t, std::string& bytes) { unpacker.append_text(bytes); });
    if (!unpacker.is_done()) throw TextUnpacker::damaged();
    return texts;
}

}  // namespace

NB_MODULE(_native, m) {
    nb::set_leak_warnings(false);  // objects that live until the interpreter ends are not leaks
    nb::module_::import_("atexit").attr("register")(nb::cpp_function([] { PythonExit::get().begin(); }));
    m.attr("unicode_version") = unicode_tables::version;
    m.def("is_assigned", [](std::uint32_t code) { return is(code, property::assigned); }, "code"_a);

    m.def("split_sentences", [](const nb::str& text) { return split_sentences(bytes_of(text)); }, "text"_a);
    bind_recipe(m);

    nb::class_<Texts>(m, "Texts")
        .def(nb::init<const nb::typed<nb::list, nb::object>&, std::size_t>(), "texts"_a, "first"_a = 0)
        .def_static("from_arrow", &Texts::from_arrow<std::int32_t>, "offsets"_a, "data"_a, "owner"_a, "first"_a = 0, "surrogates"_a = false)
        .def_static("from_arrow", &Texts::from_arrow<std::int64_t>, "offsets"_a, "data"_a, "owner"_a, "first"_a = 0, "surrogates"_a = false)
        .def("pick", [](const Texts& texts, Input<std::int64_t> places) {
            for (std::size_t k = 0; k < places.size(); ++k)
                if (places(k) < 0 || static_cast<std::uint64_t>(places(k)) >= texts.get().size()) throw nb::index_error("no such text");
            return texts.pick({places.data(), places.size()});
        }, "places"_a)
        .def("join", [](const Texts& texts) {
            const Documents documents = texts.get();
            return join_texts(documents.size(), [&](std::size_t i, std::string& bytes) { documents[i].append_to(bytes); });
        })
        .def("n_characters", [](const Texts& texts) {
            std::size_t n = 0;
            for (const Document& document : texts.get()) n += document.n_characters();
            return n;
        })
        .def("__len__", [](const Texts& texts) { return texts.get().size(); });
    m.def("pack_texts", &pack_texts, "texts"_a);
    m.def("unpack_texts", &unpack_texts, "dictionary"_a, "packed"_a, "n"_a);

    bind_matrix(m);
    bind_counts(m);
    bind_bayes(m);
    bind_left_out(m);
    bind_linear(m);
    bind_calibration(m);
    bind_text_rows(m);
    bind_table(m);
    bind_table_counter(m);
    bind_duplicates(m);
    bind_languages(m);
    bind_vectors(m);
}
