"""Rules by hand decide before the model, everywhere alike."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.command_line import Shell
from helpers.labelled_documents import WORDS, any_text
from hypothesis import given
from hypothesis import strategies as st

import tercet
from tercet import Analyzer, Categorizer, Documents, LinearSVM, Rule
from tercet.cli.options.option_values import read_rule, write_rule
from tercet.errors import InvalidLabel, InvalidOption, NotFitted
from tercet.text.patterns import Pattern, find_patterns

TEXTS = ["the hen sat", "a hen", "the fox ran", "a fox", "hen and egg", "fox and den"] * 5
LABELS = ["hen", "hen", "fox", "fox", "hen", "fox"] * 5
RULES = [Rule(r"(?i)\begg\b", "fox", name="eggs"), Rule("den|the", "hen")]
NEW = ["the fox", "a fox", "egg, the end", "", "An EGG"]
CHAINS: dict[str, dict[str, Any]] = {
    "bayes": {},
    "calibrated": {"calibrate": "platt"},
    "svm": {"model": LinearSVM(), "calibrate": "auto"},
    "stack": {"model": "auto", "calibrate": "auto"},
    "numbers": {"numeric": ["n_words"]},
}
each_chain = pytest.mark.parametrize("options", CHAINS.values(), ids=CHAINS)


def decide(text: str, rules: Any = RULES) -> str | None:
    """The label that the first rule gives: an independent way through all matches of a pattern."""
    return next((rule.label for rule in rules if find_patterns([Pattern("one", rule.regex)], text)), None)


@each_chain
def test_the_first_rule_that_is_found_decides_and_the_model_decides_the_rest(options: dict[str, Any]) -> None:
    alone, ruled = (Categorizer(rules=rules, **options).fit(TEXTS, LABELS) for rules in (None, RULES))
    expected = [decide(text) or label for text, label in zip(NEW, alone.predict(NEW).tolist(), strict=True)]
    assert ruled.predict(NEW).tolist() == expected == ["hen", expected[1], "fox", expected[3], "fox"]
    assert ruled.predict(iter(NEW)).tolist() == expected
    assert ruled.log_joint(NEW).tolist() == alone.log_joint(NEW).tolist()
    for text, own, by_model in zip(NEW, ruled.predict_proba(NEW).tolist(), alone.predict_proba(NEW).tolist(), strict=True):
        assert own == ({"fox": [1.0, 0.0], "hen": [0.0, 1.0]}[label] if (label := decide(text)) else by_model)
    assert ruled.predict(NEW, abstain_below=1.0).tolist()[2] == "fox"
    assert ruled.compact().predict(NEW).tolist() == expected


@given(st.lists(any_text, min_size=1, max_size=5), st.lists(st.sampled_from(WORDS[:6]), min_size=1, max_size=3))
def test_rules_decide_any_text_as_their_patterns_say(texts: list[str], words: list[str]) -> None:
    rules = [(word, "ab"[i % 2]) for i, word in enumerate(words)]
    alone, ruled = (Categorizer(rules=each).fit(["hen sat", "fox"], ["a", "b"]) for each in (None, rules))
    by_model = alone.predict(texts).tolist()
    found = [decide(text, [Rule(*rule) for rule in rules]) for text in texts]
    assert ruled.predict(texts).tolist() == [label or other for label, other in zip(found, by_model, strict=True)]
    assert np.isfinite(ruled.predict_proba(texts)).all()
    assert ruled.predict_proba(texts).sum(axis=1).tolist() == pytest.approx([1.0] * len(texts))


@each_chain
def test_held_out_predictions_and_the_estimate_judge_rules_and_model_together(options: dict[str, Any]) -> None:
    everything = [Rule("hen|egg", "hen"), Rule("fox", "fox")]  # always right
    wrong = [Rule("hen|egg", "fox"), Rule("fox", "hen")]
    for rules, accuracy in ((everything, 1.0), (wrong, 0.0)):
        c = Categorizer(rules=rules, **options)
        assert c.cross_validate(TEXTS, LABELS, folds=3).accuracy == accuracy
        assert tercet.train(TEXTS, LABELS, categorizer=c).estimate.accuracy.value == accuracy
        assert c.score(TEXTS, LABELS) == accuracy
        if "model" not in options:
            assert c.leave_one_out(TEXTS, LABELS).accuracy == accuracy
            assert c.leave_one_out(TEXTS, LABELS).probabilities.max() == 1.0


@pytest.mark.parametrize("options", [{}, {"calibrate": "platt"}, {"keep_documents": True, "calibrate": "platt"}], ids=str)
def test_what_is_held_out_gets_the_label_of_its_rule_and_the_rest_that_of_the_model(options: dict[str, Any]) -> None:
    alone, ruled = (Categorizer(rules=rules, **options).fit(TEXTS, LABELS) for rules in (None, RULES))
    both = [c.leave_one_out(TEXTS, LABELS, copies="all").predicted.tolist() for c in (alone, ruled)]
    assert both[1] == [decide(text) or label for text, label in zip(TEXTS, both[0], strict=True)]
    both = [c.cross_validate(TEXTS, LABELS, folds=3).predicted.tolist() for c in (alone, ruled)]
    assert both[1] == [decide(text) or label for text, label in zip(TEXTS, both[0], strict=True)]


@pytest.mark.parametrize("model", [None, LinearSVM(), "auto"], ids=str)
def test_label_sets_and_calibration_errors_are_those_of_rules_and_model_together(model: Any) -> None:
    texts, labels = TEXTS * 4, LABELS * 4
    wrong = [Rule("hen|egg", "fox"), Rule("fox", "hen")]
    c = Categorizer(model=model, calibrate="platt", rules=wrong)
    assert tercet.train(texts, labels, categorizer=c).calibrator.error_after == 1.0  # type: ignore[union-attr]
    assert all(label in found for found, label in zip(c.predict_sets(texts, 0.9), labels, strict=True))
    fresh = [f"{text} today" for text in texts]
    c.calibrate_on(fresh, labels)
    assert all(label in found for found, label in zip(c.predict_sets(fresh, 0.9), labels, strict=True))


def test_tune_judges_rules_and_model_together() -> None:
    candidates = {"ruled": Categorizer(Analyzer(), rules=RULES), "alone": Categorizer(Analyzer())}
    result = tercet.tune(TEXTS * 2, LABELS * 2, candidates=candidates, folds=3)
    accuracies = {candidate.name: candidate.value.value for candidate in result.candidates}
    expected = np.mean([(decide(text) or label) == label for text, label in zip(TEXTS, LABELS, strict=True)])
    assert accuracies == {"ruled": pytest.approx(expected), "alone": 1.0}


def test_learning_and_forgetting_leave_the_rules_alone() -> None:
    for keep in (False, True):
        c = Categorizer(rules=RULES, calibrate="platt", keep_documents=keep).fit(TEXTS, LABELS)
        c.learn(["the egg"], ["cow"], later=not keep)
        c.forget(["the egg"], ["cow"], later=not keep)
        assert c.rules_ == tuple(RULES)
        assert c.predict(NEW)[2] == "fox"


def test_a_rule_for_a_label_that_is_left_out_or_forgotten_does_not_apply() -> None:
    c = Categorizer(rules=RULES).fit([*TEXTS, "cow"], [*LABELS, "cow"])
    assert c.restrict(["hen", "cow"]).predict(["the cow: egg", "cow: egg"]).tolist() == ["hen", "cow"]  # by the second rule
    assert c.restrict(["cow"]).predict(["egg, the end"]).tolist() == ["cow"]
    c = Categorizer(rules={"milk": "cow"}).fit([*TEXTS, "cow"], [*LABELS, "cow"]).forget(["cow"], ["cow"])
    assert c.predict(["milk"])[0] in ("fox", "hen")


def test_rules_read_every_column() -> None:
    documents = Documents.join({"subject": ["hen", "fox"], "body": ["sat", "ran"]}, labels=["hen", "fox"])
    c = Categorizer(rules={"(?i)urgent": "fox"}).fit(documents)
    new = Documents.join({"subject": ["Urgent hen", "hen"], "body": ["hen", "so urgent"]})
    assert c.predict(new).tolist() == ["fox", "fox"]


def test_a_file_has_the_rules_and_one_without_rules_does_not_mention_them(tmp_path: Path) -> None:
    c = Categorizer(rules=RULES, calibrate="platt").fit(TEXTS, LABELS)
    for model in (c, c.compact()):
        model.save(tmp_path / "ruled.tercet")
        loaded = tercet.load(tmp_path / "ruled.tercet")
        assert loaded.rules_ == tuple(RULES)
        assert loaded.predict(NEW).tolist() == c.predict(NEW).tolist()
    Categorizer().fit(TEXTS, LABELS).save(tmp_path / "alone.tercet")
    assert b"rules" not in (tmp_path / "alone.tercet").read_bytes().replace(b"label_rules", b"")


def test_the_signature_of_an_estimate_names_the_rules() -> None:
    signatures = {
        Categorizer(rules=rules).cross_validate(TEXTS, LABELS, folds=3).report.signature for rules in (None, RULES, RULES[::-1])
    }
    assert len(signatures) == 3
    assert ["|rules:2:" in signature for signature in sorted(signatures, key=len)] == [False, True, True]


def test_only_categorizers_with_the_same_rules_can_be_added() -> None:
    a, b, c = (Categorizer(rules=rules).fit(TEXTS, LABELS) for rules in (RULES, RULES, RULES[:1]))
    assert (a + b).rules_ == tuple(RULES)
    with pytest.raises(InvalidOption, match="count differently"):
        a + c


@each_chain
def test_an_explanation_names_the_rule_and_shows_the_evidence_of_the_model(options: dict[str, Any]) -> None:
    alone, ruled = (Categorizer(rules=rules, **options).fit(TEXTS, LABELS) for rules in (None, RULES))
    by_rule, by_model = ruled.explain("hen and egg"), alone.explain("hen and egg", "fox", "hen")
    assert by_rule.label == "fox"
    assert by_rule.rule == ("eggs", "fox", "hen")
    assert (by_rule.prior, by_rule.evidence, by_rule.score) == (by_model.prior, by_model.evidence, by_model.score)
    assert by_rule.probability == by_model.probability
    assert str(by_rule).startswith(
        "decided by the rule eggs: fox. The model alone would say hen, and its evidence follows.\nlabel fox"
    )
    assert by_rule.to_dict()["rule"] == {"name": "eggs", "label": "fox", "alone": "hen"}
    assert "decided by the rule eggs: fox" in by_rule.to_html()
    assert ruled.explain("a fox").rule is None
    assert ruled.explain("a fox").to_dict() == alone.explain("a fox").to_dict()


def test_rules_are_given_as_a_mapping_pairs_or_rules() -> None:
    given = [{"egg": "fox"}, [("egg", "fox")], [Rule("egg", "fox")], [{"regex": "egg", "label": "fox"}]]
    fitted = [Categorizer(rules=rules).fit(TEXTS, LABELS).rules_ for rules in given]
    assert fitted == [(Rule("egg", "fox"),)] * 4
    assert Categorizer(rules={"egg": np.int64(1)}).fit(["egg", "den"], [1, 2]).predict(["egg"]).tolist() == [1]
    with pytest.raises(NotFitted):
        _ = Categorizer(rules=RULES).rules_


@pytest.mark.parametrize(
    ("rules", "why"),
    [
        ([], r"rules must be None, .*, got \[\]: there is no rule in it\. Leave it out"),
        ({}, r"got \{\}: there is no rule in it"),
        ("egg", "rules must be None, .*, got 'egg': each rule has a regex and a label"),
        (3, "rules must be None, .*, got 3"),
        ([3], r"a rule must be a Rule, or \(regex, label\), got 3"),
        ([("egg",)], r"a rule must be a Rule, or \(regex, label\)"),
        ({"(": "fox"}, r"a rule has the regex '\(', which RE2 refuses \(missing \)"),
        ({r"(a)\1": "fox"}, "backreferences can't be searched in linear time"),
        ({"a*": "fox"}, "can match the empty text"),
        ({3: "fox"}, "the regex of a rule must be a str, got 3"),
        ({"egg": None}, "the label of a rule must be text or a number, got None"),
        ([("egg", "fox")] * 1001, "there are more than 1000 patterns"),
    ],
)
def test_bad_rules_are_refused(rules: Any, why: str) -> None:
    with pytest.raises(InvalidOption, match=why):
        Categorizer(rules=rules).fit(TEXTS, LABELS)


def test_the_name_of_a_rule_is_text() -> None:
    with pytest.raises(InvalidOption, match="the name of a rule must be a str, got 3"):
        Rule("egg", "fox", 3)  # type: ignore[arg-type]


@pytest.mark.parametrize("label", ["cow", 1])
def test_a_rule_for_a_label_that_no_document_has_is_refused(label: Any) -> None:
    c = Categorizer(rules={"egg": label})
    why = f"the rule 'egg' gives the label {label!r}, and no document has it: known are 'fox', 'hen'."
    for fit in (c.fit, c.cross_validate):
        with pytest.raises(InvalidLabel, match=why):
            fit(TEXTS, LABELS)
    with pytest.raises(InvalidLabel, match="Did you mean 'hen'"):
        Categorizer(rules={"egg": "Hen"}).fit(TEXTS, LABELS)


# The command line.


def test_rules_at_the_command_line(shell: Shell) -> None:
    rules = r"--rule '(?i)awful|a=b=bad' --rule 'superb=good'"
    shell.do(f"tercet train reviews.csv -o ruled.tercet --smoothing 0.5 {rules}")
    assert tercet.load("ruled.tercet").rules_ == (Rule("(?i)awful|a=b", "bad"), Rule("superb", "good"))
    (answer,) = shell.do('tercet predict ruled.tercet "a lovely warm AWFUL film" --json').out.splitlines()
    assert (json.loads(answer)["label"], json.loads(answer)["probability"]) == ("bad", 1.0)
    told = shell.do('tercet explain ruled.tercet "a lovely warm funny AWFUL film"').out
    assert "decided by the rule (?i)awful|a=b: bad. The model alone would say good, and its evidence follows." in told
    assert "  (?i)awful|a=b → bad, superb → good\n" in shell.do("tercet inspect ruled.tercet").out
    listed = json.loads(shell.do("tercet inspect ruled.tercet --json").out)["rules"]
    assert listed[1] == {"name": "superb", "regex": "superb", "label": "good"}
    shell.do("tercet inspect ruled.tercet --config > ruled.toml")
    shell.do("tercet train reviews.csv -o again.tercet --config ruled.toml")
    assert (shell.folder / "again.tercet").read_bytes() == (shell.folder / "ruled.tercet").read_bytes()


def test_calibration_on_new_documents_judges_rules_and_model_together() -> None:
    c = Categorizer(rules={"hen": "hen", "fox": "fox"}).fit(TEXTS, LABELS)
    new = [f"{animal} number {i}" for i in range(20) for animal in ("hen", "fox")]
    c.calibrate_on(new, ["hen", "fox"] * 20)
    assert c.find_threshold(0.9) == 1.0  # each document has its rule, and all rules are right


def test_a_label_with_an_equals_sign_survives_a_recipe_file() -> None:
    for rule in (Rule("awful", "a=b"), Rule("a=b", "bad")):
        written = write_rule(rule)
        assert (read_rule(written) if isinstance(written, str) else Rule(**written)) == rule


def test_a_recipe_file_may_name_its_rules(shell: Shell) -> None:
    rule = '{regex = "awful", label = "bad", name = "verdict"}'
    (shell.folder / "ruled.toml").write_text(f'smoothing = 0.5\nrules = ["superb=good", {rule}]\n')
    shell.do("tercet train reviews.csv -o ruled.tercet --config ruled.toml")
    assert tercet.load("ruled.tercet").rules_ == (Rule("superb", "good"), Rule("awful", "bad", "verdict"))
    assert "superb → good, verdict: awful → bad" in shell.do("tercet inspect ruled.tercet").out
    shell.do("tercet inspect ruled.tercet --config > again.toml")
    assert 'rules = ["superb=good", {"regex" = "awful", "label" = "bad", "name" = "verdict"}]' in Path("again.toml").read_text()


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        ("awful", "'awful' is not of the form REGEX=LABEL"),
        ("(=bad", "which RE2 refuses (missing ): ()"),
        ("=bad", "can match the empty text"),
        ("awful=terrible", "the rule 'awful' gives the label 'terrible', and no document has it: known are 'bad', 'good'."),
    ],
)
def test_a_bad_rule_is_one_line_at_the_command_line(shell: Shell, rule: str, why: str) -> None:
    outcome = shell(f"tercet train reviews.csv -o ruled.tercet --fast --rule '{rule}'")
    assert outcome.code == 2
    assert why in outcome.err.strip().splitlines()[-1]
    assert not (shell.folder / "ruled.tercet").exists()
