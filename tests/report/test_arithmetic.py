"""The arithmetic of a decision: each formula, evaluated as it is printed, gives the value of the model."""

import math
import re
import threading
from typing import Any

import pytest
from helpers.command_line import Shell
from helpers.formulas import evaluate_latex, evaluate_text
from helpers.labelled_documents import MODELS, Learned, any_text, learned, plain_texts, some
from hypothesis import given
from hypothesis import strategies as st

import tercet
from tercet import (
    NBSVM,
    AbsoluteDiscount,
    Additive,
    Analyzer,
    Categorizer,
    Dirichlet,
    Documents,
    JelinekMercer,
    LinearSVM,
    LogisticRegression,
    MostInformative,
    NaiveBayes,
)
from tercet.errors import InvalidOption
from tercet.report.explanation.explanation import Explanation

TEXTS = ["the hen sat", "a hen and a hen", "the fox ran", "sly fox, sly", "an owl flew", "owl", "the hen ran"]
LABELS = ["hen", "hen", "fox", "fox", "owl", "owl", "hen"]
SMOOTHINGS = [
    1.0,
    0.5,
    JelinekMercer(0.3),
    Dirichlet(100.0),
    AbsoluteDiscount(0.9),
    Additive(0.5, per_term={"hen": 3, "zebra": 9}),
]
COMBINATIONS = [(kind, smoothing) for kind in ("multinomial", "binary") for smoothing in SMOOTHINGS]
COMBINATIONS += [("bernoulli", 1.0), ("bernoulli", 0.5), *(("complement", SMOOTHINGS[i]) for i in (0, 1, 5))]
each_combination = pytest.mark.parametrize(("kind", "smoothing"), COMBINATIONS, ids=str)


def check(explanation: Explanation) -> Any:
    """Evaluate everything as it is printed, and compare it with the values of the explanation."""
    arithmetic = explanation.arithmetic
    assert arithmetic is not None
    for step in (arithmetic.prior, *arithmetic.terms):
        if step.formula is None:
            assert (step.name, step.value) == ("(prior)", 0)
            continue
        text, shown = step.to_text().split(" = ")
        printed = float(shown.replace("−", "-").replace("∞", "inf"))
        values = [evaluate_text(text), evaluate_latex(step.to_latex().split(" = ")[0])]
        if math.isnan(values[0]):  # both labels are impossible: the difference counts as 0
            assert (step.value, printed) == (0, 0)
            continue
        assert printed == pytest.approx(step.value, rel=1e-6, abs=6e-7)
        for value in values:
            assert value == pytest.approx(step.value, rel=1e-8, abs=1e-8), step.to_text()
            assert value == pytest.approx(printed, rel=1e-6, abs=6e-7), step.to_text()
    values = {part.term: part.value for part in explanation.parts}
    assert {step.name: step.value for step in arithmetic.terms} == pytest.approx(values, rel=1e-12, abs=1e-12)
    if arithmetic.probability is not None:
        text, shown = arithmetic.probability.to_text().split(" = ")
        assert evaluate_text(text) == pytest.approx(explanation.probability, abs=1e-6)
        assert float(shown) == pytest.approx(explanation.probability, abs=6e-7)
    return arithmetic


@each_combination
def test_the_printed_formulas_give_the_values_of_the_model(kind: Any, smoothing: Any) -> None:
    weights = [1.0, 2.0, 1.0, 0.5, 1 / 3, 1.0, 1.0]
    for options in ({}, {"min_documents": 2}, {"select": MostInformative(4, "chi2")}, {"max_terms": 3}):
        for sample_weight in (None, weights):
            model = Categorizer("words", NaiveBayes(kind, smoothing), **options).fit(TEXTS, LABELS, sample_weight)
            for one in (model, model.restrict(["fox", "hen"])):
                for text in ("the hen and the sly owl", "hen hen hen fox", "", "zebra"):
                    check(one.explain(text, arithmetic=True))
                check(one.explain("a hen ran", "fox", "hen", arithmetic=True))


@pytest.mark.filterwarnings("ignore:1 of 1 documents have probability 0")
@pytest.mark.parametrize("model", [*MODELS, *(NaiveBayes(kind, 0, "uniform") for kind in ("multinomial", "binary"))], ids=repr)
@given(learned(min_size=2), st.lists(plain_texts | any_text | st.just("(unknown terms) zzz"), min_size=1, max_size=3))
@some(0.2)
def test_formulas_of_any_documents_give_the_values(model: NaiveBayes, documents: Learned, texts: list[str]) -> None:
    documents += Learned(["the hen", "fox"], ["a", "b"], [1.0, 2.0])
    ours = Categorizer(model=model).fit(*documents)
    for text in [*texts, documents.texts[0]]:
        check(ours.explain(text, "a", "b", arithmetic=True))


def test_the_formulas_are_those_of_the_textbook() -> None:
    texts = ["just plain boring", "entirely predictable and lacks energy", "no surprises and very few laughs"]
    texts += ["very powerful", "the most fun film of the summer"]
    labels = ["-", "-", "-", "+", "+"]

    def write(kind: Any, smoothing: Any, text: str = "predictable with no fun", **options: Any) -> dict[str, str]:
        model = Categorizer("words", NaiveBayes(kind, smoothing, **options)).fit(texts, labels)
        arithmetic = check(model.explain(text, "-", "+", arithmetic=True))
        return {step.name: step.to_text() for step in (arithmetic.prior, *arithmetic.terms)}

    assert write("multinomial", 1.0) == {
        "(prior)": "log 3/5 − log 2/5 = +0.405465",
        "predictable": "log (1+1)/(14+20) − log (0+1)/(9+20) = +0.534082",
        "no": "log (1+1)/(14+20) − log (0+1)/(9+20) = +0.534082",
        "fun": "log (0+1)/(14+20) − log (1+1)/(9+20) = −0.852212",
    }
    assert write("multinomial", 0.5, "fun fun")["fun"] == "2 · (log (0+0.5)/(14+0.5·20) − log (1+0.5)/(9+0.5·20)) = −2.664454"
    assert write("binary", 1.0, "fun fun")["fun"] == "log (0+1)/(14+20) − log (1+1)/(8+20) = −0.887303"
    assert write("multinomial", "jelinek_mercer:0.3")["no"] == (
        "log ((1−0.3)·1/14+0.3·1/23) − log ((1−0.3)·0/9+0.3·1/23) = +1.575536"
    )
    assert write("multinomial", "dirichlet:100")["no"] == "log (1+100·1/23)/(14+100) − log (0+100·1/23)/(9+100) = +0.162164"
    assert write("multinomial", "absolute_discount:0.9")["no"] == (
        "log (1−0.9+0.9·13·1/23)/14 − log (0+0.9·8·1/23)/9 = +0.223144"
    )
    unknown = write("multinomial", 1.0, "an emu", unknown="unk")
    assert unknown["(unknown terms)"] == "2 · (log (0+1)/(14+21) − log (0+1)/(9+21)) = −0.308301"
    assert write("multinomial", Additive(1, per_term={"no": 4}))["no"] == "log (1+4)/(14+23) − log (0+4)/(9+23) = +0.077962"
    assert write("complement", 1.0)["no"] == "log (1+1)/(14+20) − log (0+1)/(9+20) = +0.534082"
    assert write("complement", 1.0)["(prior)"] == "+0.000000"
    odds = write("bernoulli", 1.0)
    assert odds["no"] == "log (1+1)/(3−1+1) − log (0+1)/(2−0+1) = +0.693147"
    assert odds["(absent terms)"].startswith("7 · log (3−0+1)/(3+2·1) + 12 · log (3−1+1)/(3+2·1) + log (3−2+1)/(3+2·1) − (")
    assert write("multinomial", 0, "no")["no"] == "log 1/14 − log 0/9 = +∞"
    assert write("multinomial", 1.0, prior={"+": 0.2, "-": 0.8})["(prior)"] == "log 0.8 − log 0.2 = +1.386294"
    assert write("multinomial", 1.0, prior="uniform")["(prior)"] == "log 0.5 − log 0.5 = +0.000000"


def test_many_groups_of_absent_terms_are_written_as_two_sums() -> None:
    texts = [f"{'a ' * (i < 6)}{'b ' * (i < 5)}{'c ' * (i < 4)}{'d ' * (i < 3)}e" for i in range(8)]
    arithmetic = check(Categorizer("words", NaiveBayes("bernoulli")).fit(texts, [0, 1] * 4).explain("a b", arithmetic=True))
    (absent,) = (step for step in arithmetic.terms if step.name == "(absent terms)")
    assert re.fullmatch(r"−[\d.]+−\(−[\d.]+\) = .*", absent.to_text())


@pytest.mark.filterwarnings("ignore::tercet.errors.StaleMargins")
@pytest.mark.parametrize("model", [LinearSVM(), NBSVM()], ids=repr)
def test_the_formulas_of_margins_leave_out_what_is_forgotten(model: Any) -> None:
    c = Categorizer("words", model).fit(TEXTS, LABELS)
    whole = check(c.explain("sly hen", arithmetic=True))
    c.forget(TEXTS[3:4], LABELS[3:4])  # the only document with "sly"
    left = check(c.explain("sly hen", arithmetic=True))
    assert [step.name for step in left.terms if step.value] == ["hen"]
    assert len([step.name for step in whole.terms if step.value]) == 2


@pytest.mark.parametrize("model", [LinearSVM(), LinearSVM(loss="hinge"), LogisticRegression(), NBSVM()], ids=repr)
def test_formulas_of_margins_are_values_times_weights(model: Any) -> None:
    analyzers = ["words", Analyzer(char_ngrams=(2, 3))]
    for analyzer in analyzers:
        ours = Categorizer(analyzer, model).fit(TEXTS, LABELS)
        two = Categorizer(analyzer, model).fit(TEXTS[:4], LABELS[:4])
        for one in (ours, ours.restrict(["owl", "hen"]), two, two.compact(), ours.compact()):
            labels = one.classes_.tolist()
            for text in ("the hen and the sly owl", "hen hen hen emu", ""):
                arithmetic = check(one.explain(text, labels[0], labels[1], arithmetic=True))
                check(one.explain(text, labels[1], labels[0], arithmetic=True))
            assert "trained weight" in arithmetic.notes[0]


def test_formulas_of_a_stack_are_sums_over_its_layers() -> None:
    trained = tercet.train(tercet.read("docs/reviews.csv")).categorizer
    assert trained.describe()["kind"] == "stack"
    arithmetic = check(trained.explain("a clever plot, far too long", arithmetic=True))
    assert any(" + " in step.to_text() or "+" in step.formula.text for step in arithmetic.terms)
    assert "before calibration" in arithmetic.notes[-1]
    assert arithmetic.probability is not None  # `check` has evaluated it


def test_columns_of_numbers_are_normal_densities() -> None:
    columns = {"links": [7, 0, 3, 1], "share": [0.5, 0.25, 1, 0.1], "same": [2, 2, 2, 2]}
    documents = Documents(["buy", "see you", "buy it", "you"], ["spam", "ham", "spam", "ham"], columns=columns)
    model = Categorizer(model=NaiveBayes("multinomial"), numeric=["links", "share", "same"]).fit(documents)
    one = Documents(["buy"], columns={"links": [2.5], "share": [0.5], "same": [2]})
    arithmetic = check(model.explain(one, "spam", "ham", arithmetic=True))
    steps = {step.name: step.to_text() for step in arithmetic.terms}
    assert re.fullmatch(r"log N\(2\.5 \| 5, [\d.]+²\) − log N\(2\.5 \| 0\.5, [\d.]+²\) = [+−][\d.]+", steps["links = 2.5"])
    assert steps["same = 2"] == "0−0 = +0.000000"
    assert any("normal distribution" in note for note in arithmetic.notes)


@pytest.mark.parametrize("method", ["temperature", "length", "platt", "isotonic"])
def test_calibrated_models_say_that_the_score_is_before_calibration(method: str) -> None:
    model = Categorizer(calibrate=method).fit(TEXTS * 9, LABELS * 9)
    for text, label, against in (("the hen", None, None), ("sly", "fox", "owl"), ("a fox", "owl", "hen"), ("", None, None)):
        arithmetic = check(model.explain(text, label, against, arithmetic=True))
        assert f"The score is before calibration. The calibration '{method}' turns" in arithmetic.notes[-1]
        depends_on_others = method == "isotonic" or getattr(find_calibration(model), "doubt", 0) > 0
        assert (arithmetic.probability is None) == depends_on_others  # `check` has evaluated the other formulas


def find_calibration(model: Categorizer) -> Any:
    return model.scorer().calibration


def test_the_offsets_of_a_calibration_are_in_the_formula() -> None:
    texts, labels = ["so good", "good film", "so dull", "dull film", "a film"] * 20, ["+", "+", "-", "-", "-"] * 20
    model = Categorizer("words", LinearSVM(), calibrate="platt").fit(texts, labels)
    arithmetic = check(model.explain("a good film", arithmetic=True))
    odds = find_calibration(model).derive_odds(None, 0, 1)
    assert odds.offset != 0
    assert f"({odds.factor:.12g}·" in arithmetic.probability.to_text()  # `check` has evaluated it


def test_the_doubt_of_a_calibration_by_length_is_in_the_formula_for_two_labels() -> None:
    model = Categorizer(calibrate="length").fit(tercet.read("docs/reviews.csv"))
    assert find_calibration(model).doubt > 0
    arithmetic = check(model.explain("a lovely cast, but far too long", arithmetic=True))
    assert arithmetic.probability.to_text().startswith(f"(1−{find_calibration(model).doubt:.12g})·1/(1+exp(")


def test_a_compact_naive_bayes_has_no_counts_to_show() -> None:
    compact = Categorizer().fit(TEXTS, LABELS).compact()
    with pytest.raises(InvalidOption, match="has weights and no counts, so there is no arithmetic to show"):
        compact.explain("the hen", arithmetic=True)
    assert compact.explain("the hen").arithmetic is None
    with pytest.raises(InvalidOption, match="arithmetic must be True or False"):
        compact.explain("the hen", arithmetic="yes")  # type: ignore[arg-type]


def test_bernoulli_without_smoothing_has_no_arithmetic() -> None:
    model = Categorizer("words", NaiveBayes("bernoulli", 0)).fit(TEXTS, LABELS)
    with pytest.raises(InvalidOption, match="has no arithmetic: a term that all documents of a label have decides alone"):
        model.explain("hen", arithmetic=True)


def test_formulas_have_the_counts_of_now() -> None:
    model = Categorizer("words", NaiveBayes("multinomial")).fit(TEXTS, LABELS)
    before = check(model.explain("the hen", "hen", "fox", arithmetic=True))
    model.learn(["hen hen"], ["hen"])
    after = check(model.explain("the hen", "hen", "fox", arithmetic=True))
    assert (before.prior.formula.text, after.prior.formula.text) == ("log 3/7 − log 2/7", "log 4/8 − log 2/8")
    model.forget(["hen hen"], ["hen"])
    assert check(model.explain("the hen", "hen", "fox", arithmetic=True)) == before


def test_formulas_agree_with_values_while_documents_are_learned() -> None:
    model = Categorizer("words", NaiveBayes("multinomial")).fit(TEXTS, LABELS)
    stop = threading.Event()

    def learn() -> None:
        while not stop.is_set():
            model.learn(["hen fox new words"], ["hen"])

    thread = threading.Thread(target=learn)
    thread.start()
    try:
        for _ in range(50):
            check(model.explain("the hen and fox", "hen", "fox", arithmetic=True))
    finally:
        stop.set()
        thread.join()


def test_every_form_shows_the_formulas() -> None:
    model = Categorizer("words", NaiveBayes("multinomial")).fit(TEXTS, LABELS)
    explanation = model.explain("a sly hen", arithmetic=True)
    steps = check(explanation).terms
    assert len(steps) == 3
    table, html, latex = explanation.to_table(), explanation.to_html(), explanation.to_latex()
    for step in steps:
        assert f"{step.name:<27}  {step.to_text()}\n" in table
        assert f"<bdi>{step.formula.text}</bdi>" in html
        assert f"{{}}{step.name} & \\rule{{0pt}}{{4ex}}$\\displaystyle {step.to_latex()}$" in latex
    written = explanation.to_dict()["arithmetic"]
    assert [(step["formula"], step["value"]) for step in written["terms"]] == [
        (step.formula.text, step.value) for step in steps
    ]
    rest = math.fsum(step.value for step in steps[1:])
    assert f"… 2 more                     {rest:+.6f}".replace("-", "−") in explanation.to_table(1)
    without = model.explain("a sly hen")
    assert table.startswith(without.to_table())
    assert "computed" not in without.to_table() + without.to_html() + without.to_latex()
    assert "arithmetic" not in without.to_dict()


def test_the_command_shows_the_arithmetic(shell: Shell) -> None:
    text = '"what a lovely film"'
    plain = shell.do(f"tercet explain a.tercet {text} --arithmetic --html why.html").out
    below = plain.split("how the values are computed\n")[1].splitlines()
    formulas = [
        line.split("  ", 1)[1].strip().split(" = ") for line in below if "log (" in line and not line.startswith("Each")
    ]
    assert len(formulas) == 4
    for formula, value in formulas:
        assert evaluate_text(formula) == pytest.approx(float(value.replace("−", "-")), abs=1e-6)
    assert "how the values are computed" in (shell.folder / "why.html").read_text()
    latex = shell.do(f"tercet explain a.tercet {text} --arithmetic --latex").out
    assert latex.startswith(r"\documentclass")
    assert latex.rstrip().endswith(r"\end{document}")
    assert r"\log \frac{" in latex
    assert '"arithmetic"' in shell.do(f"tercet explain a.tercet {text} --arithmetic --json").out
    assert '"arithmetic"' not in shell.do(f"tercet explain a.tercet {text} --json").out
    assert "trained weight" in shell.do(f"tercet explain reviews.tercet {text} --arithmetic").out
    shell.do("tercet train reviews.csv -o small.tercet --fast --compact --quiet")
    refused = shell(f"tercet explain small.tercet {text} --arithmetic")
    assert (refused.code, refused.out) == (2, "")
    assert "no counts, so there is no arithmetic to show" in refused.err
    assert len(refused.err.splitlines()) == 1


def test_latex_escapes_names_and_texts() -> None:
    model = Categorizer("whitespace").fit(["50% $x_1 & \\o", "[a] {b} ~#"], ["a_b", "{}"])
    latex = model.explain("50% [a] $x_1 #", "a_b", arithmetic=True).to_latex(page=True)
    assert r"\noindent label a\_b against \{\}: " in latex
    assert "\n50\\% [a] \\$x\\_1 \\#\n" in latex
    assert r"{}[a] & \rule" in latex  # a row that begins with [ would be an option of the row before


def test_a_label_without_words_has_no_fraction_of_zero_by_zero() -> None:
    categorizer = Categorizer("words", NaiveBayes("multinomial", 0)).fit(["hen fox", ""], ["x", "y"])
    explanation = categorizer.explain("hen", arithmetic=True)
    check(explanation)
    assert explanation.arithmetic is not None
    assert explanation.arithmetic.terms[0].to_text() == "log 1/2 − log 0 = +∞"
