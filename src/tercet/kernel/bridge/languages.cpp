// LanguageScorer, LanguageIdentifier.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <tuple>

#include "base/threads.hpp"
#include "bridge/arrays.hpp"
#include "bridge/gil.hpp"
#include "bridge/module.hpp"
#include "bridge/texts.hpp"
#include "languages/language_identifier.hpp"
#include "languages/language_segments.hpp"

namespace tercet {

namespace {

using System = std::tuple<unsigned, unsigned, std::uint32_t, Numbers, Input<std::uint64_t>, InputTable<std::uint8_t>, Input<std::uint8_t>>;

WritingSystem read_system(const System& given, std::size_t n_labels) {
    const auto& [n_bits, order, weight, labels, keys, costs, surprise] = given;
    expect(keys.size() == costs.shape(0) && keys.size() == surprise.size(), "each n-gram needs a row");
    expect(labels.size() == costs.shape(1), "each column needs a label");
    expect_below(labels, n_labels, "there is no such label");
    return {weight, {labels.data(), labels.data() + labels.size()},
            NgramTable(n_bits, order, labels.size(), {keys.data(), keys.size()}, costs.data(), surprise.data())};
}

LanguageScorer make_scorer(InputTable<std::uint32_t> runs, const std::vector<System>& given, std::size_t n_labels) {
    expect(runs.shape(1) == 4, "a run of letters has four numbers");
    expect(given.size() < 255, "there are too many writing systems");
    std::vector<LetterTable::Run> read(runs.shape(0));
    for (std::size_t i = 0; i < read.size(); ++i) read[i] = {runs(i, 0), runs(i, 1), runs(i, 2), runs(i, 3)};
    std::vector<WritingSystem> systems;
    for (const System& system : given) systems.push_back(read_system(system, n_labels));
    return LanguageScorer(LetterTable(read), std::move(systems), n_labels);
}

using Scores = std::tuple<Integers, Integers, Integers, Integers>;

// The writing system, the letters and ends of words, the surprise, and the costs of the labels of that system (else -1).
Scores score(const LanguageScorer& scorer, const Texts& texts, std::size_t threads) {
    const Documents documents = texts.get();
    const std::size_t n = documents.size(), n_labels = scorer.n_labels();
    LargeVector<std::int64_t> systems(n, 0), events(n, 0), surprise(n, 0), costs(n * n_labels, -1);
    {
        const GilReleased unlocked;
        const std::vector<std::uint8_t> all(n_labels, 1);
        const std::vector<Range> ranges = split_documents(documents);
        share_out(threads, ranges.size(), [&](std::size_t, std::size_t r) {
            WordReader words(scorer.letters());
            LanguageCosts sum;
            NgramTable::Search search;
            for (std::size_t i = ranges[r].begin; i < ranges[r].end; ++i) {
                const std::span<const Letter> letters = words.read(documents[i]).letters;
                const std::size_t system = scorer.choose_system(letters, all, false);
                if (!scorer.has_label(system, all)) continue;
                scorer.add_words(letters, system, search, sum);
                systems[i] = static_cast<std::int64_t>(system);
                events[i] = static_cast<std::int64_t>(sum.n_events);
                surprise[i] = static_cast<std::int64_t>(sum.costs[scorer.system(system).labels.size()]);
                const std::vector<std::size_t>& labels = scorer.system(system).labels;
                for (std::size_t k = 0; k < labels.size(); ++k) costs[i * n_labels + labels[k]] = static_cast<std::int64_t>(sum.costs[k]);
            }
        });
    }
    return {take_array(std::move(systems), {n}), take_array(std::move(events), {n}), take_array(std::move(surprise), {n}),
            take_array(std::move(costs), {n, n_labels})};
}

LanguageSettings read_settings(Input<double> s) {
    expect(s.size() == 10, "there are ten settings");
    return {s(0), s(1), s(2), s(3), s(4), s(5), s(6), s(7), s(8), s(9)};
}

using ListedWords = std::vector<std::pair<std::size_t, nb::str>>;  // a label, and its words as a text

CommonWords read_common(const ListedWords& given, const LanguageScorer& scorer) {
    CommonWords common(scorer.n_labels());
    WordReader reader(scorer.letters());
    for (const auto& [label, words] : given) common.add(label, from_str(words.ptr()), reader);
    return common;
}

std::vector<std::int64_t> read_numbers(Numbers numbers) { return {numbers.data(), numbers.data() + numbers.size()}; }

using Answers = std::pair<Integers, Floats>;

// An identifier with a reader of its own. It is used for one text at a time, under the GIL.
struct BoundIdentifier {
    LanguageIdentifier identifier;
    LanguageIdentifier::Reader reader{identifier};

    Answers identify(const Texts& texts, std::size_t top, std::size_t threads) const {
        const Documents documents = texts.get();
        const std::size_t n = documents.size();
        LargeVector<std::int64_t> labels(n * top);
        LargeVector<double> probabilities(n * top);
        {
            const GilReleased unlocked;
            const std::vector<Range> ranges = split_documents(documents);
            share_out(threads, ranges.size(), [&](std::size_t, std::size_t r) {
                LanguageIdentifier::Reader own(identifier);
                std::vector<LanguageAnswer> answers(top);
                for (std::size_t i = ranges[r].begin; i < ranges[r].end; ++i) {
                    own.answer(documents[i], top, answers.data());
                    for (std::size_t k = 0; k < top; ++k) {
                        labels[i * top + k] = answers[k].label;
                        probabilities[i * top + k] = answers[k].probability;
                    }
                }
            });
        }
        return {take_array(std::move(labels), {n, top}), take_array(std::move(probabilities), {n, top})};
    }

    // The same for one text, without arrays.
    std::pair<std::int64_t, double> identify_one(const nb::str& text) {
        LanguageAnswer answer{};
        reader.answer(from_str(text.ptr()), 1, &answer);
        return {answer.label, answer.probability};
    }

    std::vector<std::tuple<std::size_t, std::size_t, std::int64_t, double>> segment(const nb::str& text) const {
        const Document document = from_str(text.ptr());
        std::vector<std::tuple<std::size_t, std::size_t, std::int64_t, double>> parts;
        const GilReleased unlocked;
        for (const LanguageSegment& part : LanguageSegmenter(identifier).split(document))
            parts.emplace_back(part.begin, part.end, part.answer.label, part.answer.probability);
        return parts;
    }
};

}  // namespace

void bind_languages(nb::module_& m) {
    nb::class_<LanguageScorer>(m, "LanguageScorer")
        .def("__init__", [](LanguageScorer* self, InputTable<std::uint32_t> letters, const std::vector<System>& systems, std::size_t n_labels) {
            new (self) LanguageScorer(make_scorer(letters, systems, n_labels));
        }, "letters"_a, "systems"_a, "n_labels"_a)
        .def("score", &score, "texts"_a, "threads"_a = 1);
    nb::class_<BoundIdentifier>(m, "LanguageIdentifier")
        .def("__init__", [](BoundIdentifier* self, const LanguageScorer& scorer, const LanguageScorer* wide, Numbers known, Numbers groups,
                            Input<double> typical, Input<double> settings, Input<std::uint8_t> allowed, bool refuse, Input<std::uint8_t> folded,
                            Input<double> handicaps, const ListedWords& common) {
            new (self) BoundIdentifier{LanguageIdentifier(
                scorer, wide, read_numbers(known), read_numbers(groups), {typical.data(), typical.data() + typical.size()},
                read_settings(settings),
                {{allowed.data(), allowed.data() + allowed.size()}, refuse, {folded.data(), folded.data() + folded.size()},
                 {handicaps.data(), handicaps.data() + handicaps.size()}},
                read_common(common, scorer))};
        }, "scorer"_a, "wide"_a.none(), "known"_a, "groups"_a, "typical"_a, "settings"_a, "allowed"_a, "refuse"_a, "folded"_a,
           "handicaps"_a, "common"_a,
           nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
        .def("identify", &BoundIdentifier::identify, "texts"_a, "top"_a, "threads"_a = 1)
        .def("identify_one", &BoundIdentifier::identify_one, "text"_a)
        .def("segment", &BoundIdentifier::segment, "text"_a);
}

}  // namespace tercet
