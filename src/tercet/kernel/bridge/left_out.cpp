// Counts without some of their documents: scores of the documents that are left out, and the likelihood of their labels.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "base/threads.hpp"
#include "bayes/label_likelihood.hpp"
#include "bridge/arrays.hpp"
#include "bridge/gil.hpp"
#include "bridge/module.hpp"
#include "bridge/squares.hpp"

namespace tercet {

namespace {

// Scores documents with the counts without them. The counts must not change meanwhile.
class LeftOutObject {
  public:
    LeftOutObject(const Counts& counts, const Model& model) : counts_(counts), formula_(model.formula) {
        model.expect_fit(counts);
        const GilReleased unlocked;
        left_out_.emplace(counts, model);
    }

    // Each document without itself. Document i is removed from the labels starts[i] … starts[i + 1], with these weights and squares.
    Floats score(const Rows& rows, Numbers starts, Numbers labels, Numbers weights, Squares squares, std::size_t threads) const {
        expect(counts_.n_terms() == left_out_->n_terms() && counts_.n_labels() == left_out_->n_labels(), "the counts have changed");
        expect(starts.size() == rows.size() + 1 && labels.size() == weights.size(), "each document needs what is taken with it");
        expect(squares.shape(0) == labels.size() && squares.shape(1) == 2, "each weight needs its square");
        expect(rows.n_columns() <= left_out_->n_terms(), "no such term");
        for (std::size_t i = 0; i + 1 < starts.size(); ++i) expect(starts(i) <= starts(i + 1), "what is taken does not fit");
        expect(starts(0) == 0 && static_cast<std::uint64_t>(starts(rows.size())) == labels.size(), "what is taken does not fit");
        expect_below(labels, left_out_->n_labels(), "no such label");
        const std::size_t n_labels = left_out_->n_labels();
        std::unique_ptr<double[]> scores(new double[rows.size() * n_labels]);
        {
            const GilReleased unlocked;
            std::vector<LeftDocument> left(std::max<std::size_t>(threads, 1));
            share_out_blocks(left.size(), rows.size(), 64, [&](std::size_t thread, std::size_t i) {
                std::vector<Taken> taken;
                for (std::int64_t k = starts(i); k < starts(i + 1); ++k)
                    taken.push_back({static_cast<Id>(labels(k)), weights(k), {squares(k, 0), squares(k, 1)}});
                left_out_->take(rows[i], taken, left[thread]);
                left_out_->score(formula_, left[thread], scores.get() + i * n_labels);
            });
        }
        return take_array(std::move(scores), {rows.size(), n_labels});
    }

  private:
    const Counts& counts_;
    Formula formula_;
    std::optional<LeftOut> left_out_{};
};

std::vector<Formula> formulas_of(const Counts& counts, const std::vector<const Model*>& models) {
    expect(!models.empty(), "no model");
    std::vector<Formula> formulas;
    for (const Model* model : models) {
        expect(model && model->formula.likelihood == models[0]->formula.likelihood, "models of one likelihood");
        expect(!model->has_own_counts(), "all terms must have the same pseudo-count");
        model->expect_fit(counts);
        formulas.push_back(model->formula);
    }
    return formulas;
}

// Models × factors × labels: the log likelihood of the labels of the documents. Without a prior, it is the share of the documents.
Floats label_likelihood(const Counts& counts, const std::vector<const Model*>& models, const Rows& rows, Numbers labels, Numbers weights,
                        const std::optional<Input<double>>& prior, std::size_t threads) {
    const std::vector<Formula> formulas = formulas_of(counts, models);
    expect(labels.size() == rows.size() && weights.size() == rows.size(), "each document needs a label and a weight");
    expect(rows.n_columns() <= counts.n_terms(), "no such term");
    expect(!prior || prior->size() == counts.n_labels(), "each label needs a prior");
    expect_below(labels, counts.n_labels(), "no such label");
    std::unique_ptr<double[]> sums(new double[formulas.size() * LabelLikelihood::n_factors * counts.n_labels()]);
    {
        const GilReleased unlocked;
        const LeftOut left_out(counts, *models[0]);
        const LabelLikelihood nothing(left_out, formulas, counts, prior ? prior->data() : nullptr);
        std::vector<LabelLikelihood> parts(std::max<std::size_t>(threads, 1), nothing);
        std::vector<LeftDocument> left(parts.size());
        share_out_blocks(parts.size(), rows.size(), 64, [&](std::size_t thread, std::size_t i) {
            parts[thread].add(rows[i], Taken::one(static_cast<Id>(labels(i)), weights(i)), left[thread]);
        });
        LabelLikelihood total = nothing;
        for (const LabelLikelihood& part : parts) total.add(part);
        total.each_sum([next = sums.get()](double sum) mutable { *next++ = sum; });
    }
    return take_array(std::move(sums), {formulas.size(), LabelLikelihood::n_factors, counts.n_labels()});
}

// For each model, the log likelihood of all occurrences.
std::vector<double> occurrence_likelihood(const Counts& counts, const std::vector<const Model*>& models, std::size_t threads) {
    const std::vector<Formula> formulas = formulas_of(counts, models);
    const GilReleased unlocked;
    const LeftOut left_out(counts, *models[0]);
    std::vector<double> result(formulas.size());
    share_out(threads, formulas.size(), [&](std::size_t, std::size_t f) { result[f] = left_out.occurrence_likelihood(formulas[f]); });
    return result;
}

}  // namespace

void bind_left_out(nb::module_& m) {
    nb::class_<LeftOutObject>(m, "LeftOut")
        .def(nb::init<const Counts&, const Model&>(), "counts"_a, "model"_a, nb::keep_alive<1, 2>())
        .def("score", &LeftOutObject::score, "rows"_a, "starts"_a, "labels"_a, "weights"_a, "squares"_a, "threads"_a = 1);
    m.def("label_likelihood", &label_likelihood, "counts"_a, "models"_a, "rows"_a, "labels"_a, "weights"_a, "prior"_a.none(),
          "threads"_a = 1);
    m.def("occurrence_likelihood", &occurrence_likelihood, "counts"_a, "models"_a, "threads"_a = 1);
}

}  // namespace tercet
