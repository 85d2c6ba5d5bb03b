"""tercet inspect"""

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tercet.cli.commands import define_command, json_option
from tercet.cli.output import print_json, write_data
from tercet.cli.table_file import TableFile, write_table
from tercet.cli.talk import say
from tercet.errors import OutOfDate, describe_out_of_date

if TYPE_CHECKING:
    from tercet.models.parameters import Parameters
    from tercet.report.tables import Grid

MAX_LABELS = 50  # labels that are shown
N_SELECTED = 5  # terms that are shown of a selection
MAX_WIDTH = 120  # characters of a line


@define_command(
    "inspect",
    "tercet inspect reviews.tercet",
    "tercet inspect reviews.tercet --terms 10",
    "tercet inspect reviews.tercet --term lovely --term dull",
    "tercet inspect reviews.tercet --table terms.csv",
    "tercet inspect reviews.tercet --config > recipe.toml",
    "tercet inspect reviews.tercet --json",
)
@click.argument("model", type=click.Path())
@click.option(
    "--terms", type=click.IntRange(min=0), default=5, show_default=True, help="How many terms to show for each label."
)
@click.option("--term", "words", multiple=True, help="Show only the parameters of this term. It may be given several times.")
@click.option(
    "--table",
    type=TableFile(),
    help="Write the parameters of all terms, or of each --term, to a file: .csv, .jsonl or .parquet.",
)
@click.option("--config", is_flag=True, help="Print the recipe as TOML. `train --config` makes the same model from it.")
@json_option
def command(model: str, terms: int, words: tuple[str, ...], table: str | None, config: bool, as_json: bool) -> None:
    """Show what is in a model file.

    Shows the recipe, the smoothing, the number of terms, the fingerprint (equal for equal models), the terms that were dropped,
    and for each label the number of its documents and the terms that are the strongest evidence for it.

    With --term or --table it shows the parameters: how often each label has a term, in how many documents, and its probability
    or its weight.
    """
    from tercet import load

    found = load(model)
    warnings.simplefilter("ignore", OutOfDate)  # it is one of the facts
    if config:
        write_data(_write_config(found) + "\n")
        return
    if words or table:
        _show_parameters(found.parameters(terms=words or None), table, as_json)
        return
    facts = {"file": model, "bytes": Path(model).stat().st_size} | list_facts(found, terms)
    if as_json:
        print_json(facts)
    else:
        click.echo(write_facts(facts))


def _write_config(model: Any) -> str:
    from tercet.cli.options.config import list_recipe, write_toml

    if not hasattr(model, "table_"):
        raise click.ClickException("a compact model has only weights, and no recipe to train it again: ask the full model.")
    if getattr(getattr(model.model, "smoothing", None), "per_term", None) is not None:
        raise click.ClickException(
            "the model has pseudo-counts for single terms, and a recipe file can't hold them: train it in Python."
        )
    if model.seeds_ is not None:
        say("the recipe has no seeds: give them, too, with --seeds FILE")
    return write_toml(list_recipe(model))


def _show_parameters(parameters: "Parameters", path: str | None, as_json: bool) -> None:
    rows = (row._asdict() for row in parameters)
    if path:
        write_table(path, parameters.columns, rows, "parameter")
    elif as_json:
        by_label = {name: getattr(parameters, name) for name in ("prior", "bias", "unknown")}
        print_json({"parameters": list(rows)} | {name: _name_labels(numbers) for name, numbers in by_label.items()})
    else:
        click.echo(repr(parameters))


def _name_labels(numbers: Any) -> dict[str, float] | None:
    return None if numbers is None else {str(label): number for label, number in numbers.items()}


def describe_selection(model: Any) -> dict[str, Any]:
    """How many terms are used, and for each step how many terms it has dropped; the first terms of each."""
    selected, steps = model.selected_terms(), dict[str, list[str]]()
    if not model.is_pruned_:
        dropped = model.dropped_terms().to_dict()
        for term, by in zip(dropped["term"], dropped["dropped_by"], strict=True):
            steps.setdefault(by, []).append(term)
    return {
        "used": len(selected),
        "best": [row.term for row in selected[:N_SELECTED] if row.score is not None],
        "dropped": [{"by": by, "terms": len(terms), "first": terms[:N_SELECTED]} for by, terms in steps.items()],
    }


def list_facts(model: Any, n_terms: int) -> dict[str, Any]:
    """What is known of a model, by name, for JSON; less of a compact model."""
    from tercet.cli.predictions import list_labels
    from tercet.models.smoothing import write_smoothing

    labels = list_labels(model)
    facts: dict[str, Any] = model.describe()
    facts["smoothing"] = write_smoothing(facts["smoothing"])
    if model.categorical_columns_:
        facts["categorical"] = list(model.categorical_columns_)
    if model.rules_:
        facts["rules"] = [{"name": rule.name, "regex": rule.regex, "label": str(rule.label)} for rule in model.rules_]
    if hasattr(model, "table_"):
        documents = dict(zip(map(str, model.table_.labels.tolist()), model.table_.n_documents.tolist(), strict=True))
        facts |= {"compact": False, "pruned": model.is_pruned_, "terms": len(model.table_)}
        facts |= {"documents": model.keeps_documents_, "out_of_date": list(model.out_of_date_)}
        if model.n_unlabelled_:
            facts["unlabelled"] = model.n_unlabelled_
        if model.seeds_ is not None:
            facts["seeds"] = model.seeds_.to_dict()
        facts["fingerprint"] = model.table_.fingerprint()
        if model.members_:
            facts["members"] = describe_members(model)
        facts["selection"] = describe_selection(model) if labels else None
        facts["labels"] = [{"label": label, "documents": documents[label]} for label in labels]
    else:
        facts |= {"compact": True, "labels": [{"label": label} for label in labels]}
    facts["record"] = describe_record(model)
    if model.hand_check_ is not None:
        facts["hand_check"] = describe_check(model)
    if n_terms and labels:
        informative = model.most_informative(n_terms)
        for row, terms in zip(facts["labels"], informative.values(), strict=True):
            row["terms"] = [term for term, value in terms if value > 0 or len(labels) == 1]  # a negative value is against it
    return facts


def describe_members(model: Any) -> list[dict[str, Any]]:
    """The members of a stack. If labels were guessed or come from teachers, how often a member repeats them says nothing."""
    record = model.record_
    hidden = set() if record is None or (record.is_checked and not record.teachers) else {"estimate"}
    return [{name: value for name, value in member.to_dict().items() if name not in hidden} for member in model.members_]


def describe_record(model: Any) -> dict[str, Any] | None:
    """What is known of the training. `is_current` says whether the model still has the same documents."""
    if model.record_ is None:
        return None
    guess = {"guess": model.record_.guess} if model.record_.guess else {}
    described: dict[str, Any] = model.record_.to_dict()
    return described | guess | {"is_current": model.is_current_}


def describe_check(model: Any) -> dict[str, Any]:
    """The check by hand. `is_current` says whether the model is still the one that was checked."""
    is_current = model.is_check_current_
    words = model.hand_check_.describe(is_current=is_current)
    described: dict[str, Any] = model.hand_check_.to_dict()
    return described | {"is_current": is_current, "words": words}


def write_facts(facts: dict[str, Any]) -> str:
    """The facts as lines of names and values, and a table of the labels."""
    from tercet.cli.options.model_options import CONTAINS_TEXTS, has_smoothing
    from tercet.report.forms import write_columns

    hidden = {"labels", "record", "selection", "hand_check"} | (set() if has_smoothing(facts) else {"smoothing"})
    shown = {name: value for name, value in facts.items() if name not in hidden} | _list_record(facts["record"])
    if facts.get("documents"):
        shown["documents"] = CONTAINS_TEXTS
    if parts := shown.pop("out_of_date", None):
        shown["out of date"] = describe_out_of_date(parts, facts["documents"])
    if n_unlabelled := facts.get("unlabelled"):
        shown["unlabelled"] = f"learned from {n_unlabelled} texts without labels"
    if seeds := facts.get("seeds"):
        shown["seeds"] = [f"{label}: {', '.join(own.get('words', [])) or 'its name'}" for label, own in seeds.items()]
    if members := facts.get("members"):
        shown["members"] = [_name_member(member) for member in members]
    if rules := facts.get("rules"):
        shown["rules"] = [_name_rule(**rule) for rule in rules]
    if facts.get("pruned"):
        shown["pruned"] = "yes: it has only the selected terms, and can't learn or forget"
    if check := facts.get("hand_check"):
        guess = (facts["record"] or {}).get("guess")
        shown |= {"guessed": guess} if guess else {}
        shown["checked"] = f"{check['words']} ({check['pool']})" if check["pool"] else check["words"]
    shown |= _list_selection(facts.get("selection"))
    width = max(map(len, shown))
    lines = [f"{name:<{width}}  {_show(value)}" for name, value in shown.items()]
    return "\n".join(lines) + "\n\n" + write_columns(_list_labels(facts["labels"]))


def _list_selection(selection: dict[str, Any] | None) -> dict[str, str]:
    """The selection of terms as names and values. Nothing if all terms are used.

    >>> steps = [{"by": "WithoutMostFrequent(k=2, keep=())", "terms": 2, "first": ["it", "is"]}]
    >>> _list_selection({"used": 1200, "best": ["dull", "warm"], "dropped": steps})
    {'used': '1,200 terms: dull · warm …', 'dropped': '2 terms by WithoutMostFrequent(k=2, keep=()): it · is'}
    """
    if selection is None or not (selection["best"] or selection["dropped"]):
        return {}
    dropped = [_show_first(step["terms"], step["first"], step["by"]) for step in selection["dropped"]]
    lines = {"used": _show_first(selection["used"], selection["best"])}
    return lines | ({"dropped": "; ".join(dropped)} if dropped else {})


def _show_first(n: int, first: list[str], by: str = "") -> str:
    from tercet.characters import show_line

    terms = " · ".join(map(show_line, first)) + (" …" if len(first) < n else "")
    number = f"{n:,} term{'' if n == 1 else 's'}" + (f" by {by}" if by else "")
    return f"{number}: {terms}" if first else number


def _name_member(member: dict[str, Any]) -> str:
    """A member of a stack with its weight.

    >>> _name_member({"name": "NB-SVM", "weight": 1.234}), _name_member({"name": "SVM", "weight": 0.0})
    ('NB-SVM 1.23', 'SVM dropped')
    """
    return f"{member['name']} {member['weight']:.2f}" if member["weight"] else f"{member['name']} dropped"


def _name_rule(name: str, regex: str, label: str) -> str:
    """A rule with its label.

    >>> _name_rule("refund", "(?i)refund", "billing"), _name_rule("(?i)refund", "(?i)refund", "billing")
    ('refund: (?i)refund → billing', '(?i)refund → billing')
    """
    return f"{regex} → {label}" if name == regex else f"{name}: {regex} → {label}"


def _list_record(record: dict[str, Any] | None) -> dict[str, Any]:
    """The record of the training as names and values."""
    if record is None:
        return {}
    n = record["n_documents"]
    lines = {"trained on": f"{n:,} document{'s' * (n != 1)}, tercet {record['version']}"}
    if record["columns"] is not None:
        used = {
            "text": record["columns"]["texts"],
            "label": [record["columns"]["label"]],
            "weight": [record["columns"]["weight"]],
        }
        lines["columns"] = ", ".join(f"{name}: {' + '.join(names)}" for name, names in used.items() if names[0] is not None)
    if (rules := record["label_rules"]) is not None and (rules["mapping"] or rules["fold"]):
        lines["labels"] = _describe_rules(**rules)
    if record["data"]:
        lines["data"] = record["data"]
    if "teachers" in record:
        lines["teachers"] = ", ".join(record["teachers"])
    if "guess" in record:
        lines["checked"] = f"nothing has been checked: {record['guess']}"
    for name, estimate in record["estimate"].items():
        if estimate["value"] is not None:
            value, low, high = (_show_share(estimate[key]) for key in ("value", "low", "high"))
            lines[f"held-out {name}"] = f"{value} [{low}, {high}]" + (
                "" if record["is_current"] else ", of the documents before the last change"
            )
    return lines


def _describe_rules(strip: bool, mapping: dict[str, str], fold: Any) -> str:
    """What is done to the labels of a file, in words.

    >>> _describe_rules(True, {"Biling": "Billing"}, ["Billing"])
    'blanks around them removed, 1 spelling replaced, other forms of a label joined'
    """
    from tercet.report.tables import pluralize

    words = ["blanks around them removed"] if strip else []
    words += [f"{pluralize(len(mapping), 'spelling')} replaced"] if mapping else []
    return ", ".join(words + (["other forms of a label joined"] if fold else []))


def _show_share(share: float | None) -> str:
    """A share with three digits; a dash if it is undefined."""
    from tercet.evaluation.intervals import format_rounded

    return "–" if share is None else format_rounded(share, ".3f")


def _list_labels(rows: list[dict[str, Any]]) -> "Grid":
    """A table of the labels, with a column of terms if there are any."""
    from tercet.characters import cut_line, measure_columns, show_line
    from tercet.report.tables import Grid, show_count

    cells = [
        (
            show_line(row["label"]),
            show_count(row["documents"]) if "documents" in row else "–",
            " · ".join(map(show_line, row.get("terms", ()))),
        )
        for row in rows[:MAX_LABELS]
    ]
    if len(rows) > MAX_LABELS:
        cells.append((f"… {len(rows) - MAX_LABELS} more", "", ""))
    header = (f"{len(rows)} label{'s' * (len(rows) != 1)}", "documents", "strongest evidence for it")
    room = MAX_WIDTH - sum(2 + max(map(measure_columns, column)) for column in list(zip(header, *cells, strict=True))[:2])
    cells = [(label, documents, cut_line(terms, room)) for label, documents, terms in cells]
    n_columns = 3 if rows and "terms" in rows[0] else 2
    return Grid("labels", header[:n_columns], tuple(row[:n_columns] for row in cells))


def _show(value: Any) -> str:
    from tercet.characters import show_line

    if isinstance(value, list):
        return ", ".join(map(show_line, value))
    if value is None or isinstance(value, bool):
        return {True: "yes", False: "no", None: "none"}[value]
    return show_line(value, 200)
