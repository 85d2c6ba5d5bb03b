// Counts without some of their documents, for Python: scores of the documents left out, and how likely that makes their labels.
#include "bridge.hpp"
#include "label_likelihood.hpp"

namespace tercet {

namespace {

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

}  // namespace

void bind_left_out(nb::module_& m) {
    m.def("leave_out", &leave_out, "counts"_a, "model"_a, "rows"_a, "starts"_a, "labels"_a, "weights"_a, "threads"_a = 1);
    m.def("label_likelihood", &label_likelihood, "counts"_a, "models"_a, "rows"_a, "labels"_a, "weights"_a, "prior"_a.none(),
          "threads"_a = 1);
    m.def("occurrence_likelihood", &occurrence_likelihood, "counts"_a, "models"_a, "threads"_a = 1);
}

}  // namespace tercet
