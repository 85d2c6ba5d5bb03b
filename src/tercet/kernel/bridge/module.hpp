// The parts of the module. Each is bound in a file of its own.
#pragma once
#include <nanobind/nanobind.h>

namespace tercet {

void bind_bayes(nanobind::module_& m);          // Model, Weights
void bind_calibration(nanobind::module_& m);    // calibrate_by_length, fit_length, fit_platt, fit_stack, fit_steps, fit_temperature,
                                                //   normalize_scores
void bind_counts(nanobind::module_& m);         // Rows, Counts
void bind_duplicates(nanobind::module_& m);     // NearCopyFinder
void bind_languages(nanobind::module_& m);      // LanguageScorer, LanguageIdentifier
void bind_left_out(nanobind::module_& m);       // LeftOut, label_likelihood, occurrence_likelihood
void bind_linear(nanobind::module_& m);         // weigh_counts, LinearProblem, LinearWeights
void bind_matrix(nanobind::module_& m);         // Vocabulary, MatrixCounter
void bind_recipe(nanobind::module_& m);         // Recipe
void bind_table(nanobind::module_& m);          // fingerprint, Table
void bind_text_rows(nanobind::module_& m);      // TextRows
void bind_table_counter(nanobind::module_& m);  // TableCounter, KeptTerms
void bind_vectors(nanobind::module_& m);        // SentenceEncoder

}  // namespace tercet
