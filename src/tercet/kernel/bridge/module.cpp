// The module `_native`. The bridge converts arguments and results, and releases the GIL. It does nothing else.
#include "bridge/module.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "bridge/gil.hpp"
#include "bridge/texts.hpp"
#include "text/sentences.hpp"

using namespace tercet;

NB_MODULE(_native, m) {
    nb::set_leak_warnings(false);  // objects that live until the interpreter ends are not leaks
    nb::module_::import_("atexit").attr("register")(nb::cpp_function([] { PythonExit::get().begin(); }));
    m.attr("unicode_version") = unicode_tables::version;
    m.def("is_assigned", [](std::uint32_t code) { return is(code, property::assigned); }, "code"_a);

    m.def("split_sentences", [](const nb::str& text) { return split_sentences(bytes_of(text)); }, "text"_a);
    bind_recipe(m);

    nb::class_<Texts>(m, "Texts")
        .def(nb::init<const nb::typed<nb::list, nb::object>&, std::size_t>(), "texts"_a, "first"_a = 0)
        .def_static("from_arrow", &Texts::from_arrow<std::int32_t>, "offsets"_a, "data"_a, "owner"_a, "first"_a = 0)
        .def_static("from_arrow", &Texts::from_arrow<std::int64_t>, "offsets"_a, "data"_a, "owner"_a, "first"_a = 0)
        .def("pick", [](const Texts& texts, Input<std::int64_t> places) {
            for (std::size_t k = 0; k < places.size(); ++k)
                if (places(k) < 0 || static_cast<std::uint64_t>(places(k)) >= texts.get().size()) throw nb::index_error("no such text");
            return texts.pick({places.data(), places.size()});
        }, "places"_a)
        .def("n_characters", [](const Texts& texts) {
            std::size_t n = 0;
            for (const Document& document : texts.get()) n += document.n_characters();
            return n;
        })
        .def("__len__", [](const Texts& texts) { return texts.get().size(); });

    bind_matrix(m);
    bind_counts(m);
    bind_bayes(m);
    bind_left_out(m);
    bind_linear(m);
    bind_calibration(m);
    bind_text_rows(m);
    bind_table(m);
    bind_table_counter(m);
}
