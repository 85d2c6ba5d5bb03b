// The kernel for Python: texts, terms and matrices. It converts arguments and results, gives the GIL away, and does nothing else.
#include "bridge.hpp"

#include "listing.hpp"
#include "matrix.hpp"

using namespace tercet;

namespace {

using Bounds = std::optional<std::pair<int, int>>;
// (data, indices, indptr); the indices are as narrow as scipy takes them
using Csr = nb::typed<nb::tuple, Output<std::int64_t>, nb::object, nb::object>;

template <class Index, class Writer>
Csr write_rows(Writer& rows, bool binary) {
    std::unique_ptr<std::int64_t[]> counts(new std::int64_t[rows.n_entries()]);
    std::unique_ptr<Index[]> columns(new Index[rows.n_entries()]), ends(new Index[rows.n_rows() + 1]);
    {
        const nb::gil_scoped_release unlocked;
        rows.write(ends.get(), columns.get(), counts.get(), binary);
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
            const nb::gil_scoped_release unlocked;
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
            const nb::gil_scoped_release unlocked;
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
        const nb::gil_scoped_release unlocked;
        counter.select(std::move(new_columns));
    }

    Csr matrix(bool binary) {
        std::optional<decltype(counter.rows())> rows;
        {
            const nb::gil_scoped_release unlocked;
            rows.emplace(counter.rows());
        }
        return make_csr(*rows, counter.n_terms(), binary);
    }
    VocabularyObject* vocabulary() { return new VocabularyObject(recipe, counter.take_vocabulary()); }
};

Lengths make_lengths(const Bounds& bounds) {
    if (!bounds) return {};
    if (bounds->first < 1 || bounds->second < bounds->first) throw nb::value_error("lengths of n-grams must be 1 <= low <= high");
    return {bounds->first, bounds->second};
}

int make_limit(std::optional<int> most) {
    if (most && *most < 1) throw nb::value_error("max_repeats must be >= 1");
    return most.value_or(0);
}

Treatment choose_treatment(const std::string& name) {
    return choose<Treatment>({{"keep", Treatment::keep}, {"group", Treatment::group}, {"delete", Treatment::remove}}, name);
}

}  // namespace

NB_MODULE(_native, m) {
    nb::set_leak_warnings(false);  // what lives until the interpreter ends is no leak
    m.attr("unicode_version") = unicode_tables::version;
    m.def("is_assigned", [](std::uint32_t code) { return is(code, property::assigned); }, "code"_a);

    nb::class_<Recipe>(m, "Recipe")
        .def("__init__",
             [](Recipe* self, const std::string& form, bool lowercase, bool strip_marks, const std::string& tokens, int min_token_length,
                const Bounds& word_ngrams, const Bounds& char_ngrams, const std::string& char_ngrams_over,
                const std::string& html, const std::string& emoticons, const std::string& emoji, const std::string& hashtags,
                const std::string& numbers, const std::string& urls, const std::string& users, std::optional<int> max_repeats,
                const std::string& punctuation) {
                 new (self) Recipe{
                     choose<Form>({{"none", Form::none}, {"nfc", Form::nfc}, {"nfkc", Form::nfkc}}, form),
                     lowercase,
                     strip_marks,
                     choose<Tokens>({{"words", Tokens::words},
                                     {"words_and_marks", Tokens::words_and_marks},
                                     {"regex_words", Tokens::regex_words},
                                     {"whitespace", Tokens::whitespace},
                                     {"characters", Tokens::characters},
                                     {"bytes", Tokens::bytes}},
                                    tokens),
                     min_token_length,
                     make_lengths(word_ngrams),
                     make_lengths(char_ngrams),
                     choose<Over>({{"text", Over::text}, {"words", Over::words}, {"bytes", Over::bytes}}, char_ngrams_over),
                     Steps{choose<Html>({{"keep", Html::keep}, {"strip", Html::strip}}, html),
                           choose_treatment(emoticons),
                           choose_treatment(emoji),
                           choose_treatment(hashtags),
                           choose_treatment(numbers),
                           choose_treatment(urls),
                           choose_treatment(users),
                           make_limit(max_repeats),
                           choose<bool>({{"keep", true}, {"delete", false}}, punctuation)}};
             },
             nb::kw_only(), "form"_a, "lowercase"_a, "strip_marks"_a, "tokens"_a, "min_token_length"_a, "word_ngrams"_a.none(),
             "char_ngrams"_a.none(), "char_ngrams_over"_a, "html"_a = "keep", "emoticons"_a = "keep", "emoji"_a = "keep",
             "hashtags"_a = "keep", "numbers"_a = "keep", "urls"_a = "keep", "users"_a = "keep", "max_repeats"_a.none() = nb::none(),
             "punctuation"_a = "keep")
        .def(
            "list_tokens",
            [](const Recipe& recipe, const nb::str& text) {
                std::vector<std::tuple<nb::str, std::size_t, std::size_t>> result;
                for (const Occurrence& o : list_tokens(recipe, bytes_of(text))) {
                    std::string spelling;
                    if (is_raw(recipe, o.kind)) append_escaped(spelling, o.spelling);
                    else spelling = o.spelling;
                    result.emplace_back(make_str(spelling), o.spans[0].start, o.spans[0].end);
                }
                return result;
            },
            "text"_a)
        .def(
            "list_terms",
            [](const Recipe& recipe, const nb::str& text) {
                std::vector<std::pair<nb::str, std::vector<std::pair<std::size_t, std::size_t>>>> result;
                for (const Occurrence& o : list_terms(recipe, bytes_of(text))) {
                    std::vector<std::pair<std::size_t, std::size_t>> spans;
                    for (const Span& span : o.spans) spans.emplace_back(span.start, span.end);
                    result.emplace_back(make_str(write_term(recipe, o.kind, o.spelling)), std::move(spans));
                }
                return result;
            },
            "text"_a);

    nb::class_<Texts>(m, "Texts")
        .def(nb::init<const nb::typed<nb::list, nb::object>&, std::size_t>(), "texts"_a, "first"_a = 0)
        .def_static("from_arrow", &Texts::from_arrow<std::int32_t>, "offsets"_a, "data"_a, "owner"_a, "first"_a = 0)
        .def_static("from_arrow", &Texts::from_arrow<std::int64_t>, "offsets"_a, "data"_a, "owner"_a, "first"_a = 0)
        .def("__len__", [](const Texts& texts) { return texts.get().size(); });

    nb::class_<VocabularyObject>(m, "Vocabulary")
        .def(nb::init<const Recipe&, const Strings&>(), "recipe"_a, "terms"_a)
        .def("__len__", [](const VocabularyObject& v) { return v.vocabulary.columns.n; })
        .def("terms", &VocabularyObject::terms)
        .def("count", &VocabularyObject::count, "texts"_a, "threads"_a = 1, "binary"_a = false);

    nb::class_<MatrixCounterObject>(m, "MatrixCounter")
        .def(nb::init<const Recipe&, std::size_t>(), "recipe"_a, "threads"_a = 1)
        .def("add", [](MatrixCounterObject& self, const Texts& texts) { self.counter.add(texts.get()); }, "texts"_a,
             nb::call_guard<nb::gil_scoped_release>())
        .def("finish", [](MatrixCounterObject& self) { self.counter.finish(); return self.counter.n_terms(); },
             nb::call_guard<nb::gil_scoped_release>())
        .def("sum_columns", &MatrixCounterObject::sum_columns)
        .def("select", &MatrixCounterObject::select, "terms"_a)
        .def("matrix", &MatrixCounterObject::matrix, "binary"_a = false)
        .def("vocabulary", &MatrixCounterObject::vocabulary);

    bind_scores(m);
    bind_tables(m);
}
