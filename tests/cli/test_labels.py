"""Labels on the command line: spellings are stripped, listed, joined and remembered; new and old labels are told."""

import csv
import json
import random
import sys
from pathlib import Path

import pytest
from helpers.command_line import BAD, GOOD, Shell

import tercet
from tercet.cli.model_change import MAX_NAMED
from tercet.cli.options.label_options import MAX_LISTED

LABELS = [
    "Billing", "Tech Support", "Refund Request", "Account Access", "Shipping Delay", "Product Defect", "General Enquiry",
    "Cancellation", "Feature Request", "Warranty Claim", "Password Reset", "Order Status", "Invoice Copy", "Contract Change",
    "Data Privacy", "Sales Lead", "Partner Program", "Feedback", "Complaint", "Outage Report",
]  # fmt: skip


def misspell(label: str) -> list[str]:
    """Two more spellings of a label: one of another form, one with a typing error."""
    forms = [label.upper(), label.lower() + " ", label.replace(" ", "_") + "\u00a0", label.replace(" ", "-").lower()]
    form = next(form for form in forms[len(label) % 4 :] + forms if form != label)
    return [form, label[:3] + label[4:] if label[3] != " " else label[:-2] + label[-1]]


def write_tickets(path: str, rows: list[tuple[str, str]]) -> None:
    with open(path, "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["text", "label"])
        table.writerows(rows)


def read_rows(name: str) -> list[dict[str, str]]:
    with open(name, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def invent_tickets(seed: int) -> list[tuple[str, str]]:
    """Tickets with sixty spellings of twenty labels."""
    draw, rows = random.Random(seed), []
    for place, label in enumerate(LABELS):
        for spelling, n in zip([label, *misspell(label)], (8, 3, 2), strict=True):
            rows += [(" ".join(draw.choices([f"w{place}", f"v{place}", *GOOD, *BAD], k=6)), spelling) for _ in range(n)]
    draw.shuffle(rows)
    return rows


def save_list(printed: str, name: str) -> None:
    """Save the lines that are proposed for --map-labels."""
    lines = printed.splitlines()
    begin = next(i for i, line in enumerate(lines) if line.startswith("from,to"))
    Path(name).write_text("\n".join(lines[begin : lines.index("", begin)]) + "\n", encoding="utf-8")


def list_labels(model: str) -> list[str]:
    return tercet.load(model).classes_.tolist()  # type: ignore[no-any-return]


def test_sixty_spellings_are_listed_and_become_twenty_labels(shell: Shell) -> None:
    rows = invent_tickets(1)
    assert len({label for _, label in rows}) == 60
    write_tickets("tickets.csv", rows)
    listed = shell.do("tercet train tickets.csv -o a.tercet")
    save_list(listed.err, "labels.csv")
    assert len(list_labels("a.tercet")) == 60
    for options in ("--map-labels labels.csv", "--map-labels labels.csv --fold-labels"):
        again = shell.do(f"tercet train tickets.csv -o b.tercet {options}")
        assert "from,to" not in again.err
        assert list_labels("b.tercet") == sorted(LABELS)
    folded = shell.do("tercet train tickets.csv -o c.tercet --fold-labels")
    save_list(folded.err, "typing.csv")
    assert len(list_labels("c.tercet")) == 40
    assert "--fold-labels" not in folded.err
    assert {row["difference"] for row in read_rows("typing.csv")} == {"typing error"}
    shell.do("tercet train tickets.csv -o d.tercet --fold-labels --map-labels typing.csv")
    assert list_labels("d.tercet") == sorted(LABELS)


def test_the_list_has_the_counts_and_is_in_the_json(shell: Shell) -> None:
    write_tickets("t.csv", [("good film", "Billing")] * 8 + [("dull plot", "billing")] * 2 + [("dull", "Biling")])
    found = json.loads(shell.do("tercet train t.csv -o a.tercet --json --quiet").out)["similar_labels"]
    assert found == [
        {"label": "Biling", "better": "Billing", "n_documents": 1, "n_better": 8, "difference": "typing error"},
        {"label": "billing", "better": "Billing", "n_documents": 2, "n_better": 8, "difference": "form"},
    ]
    told = shell.do("tercet train t.csv -o a.tercet").err
    assert "save these lines as labels.csv\nand train again with --map-labels labels.csv:" in told
    assert "\nBiling,Billing,1,8,typing error\nbilling,Billing,2,8,form\n" in told
    assert "--fold-labels joins all whose difference is the form" in told
    Path("more.csv").write_text("from,to\nx,y\n")
    assert "add these lines to more.csv" in shell.do("tercet train t.csv -o a.tercet --map-labels more.csv").err


def test_a_long_list_is_cut_and_asks_for_the_column(shell: Shell) -> None:
    names = ["".join(draw.choices("abcdefgh", k=9)) for draw in map(random.Random, range(MAX_LISTED + 3))]
    write_tickets(
        "t.csv", [("good film", name) for name in names for _ in range(2)] + [("dull", name.upper()) for name in names]
    )
    told = shell.do("tercet train t.csv -o a.tercet --text text --label label --smoothing 1")
    assert "… and 3 more, which --json lists. Is --label the right column?" in told.err
    assert sum(line.endswith(",1,2,form") for line in told.err.splitlines()) == MAX_LISTED


def test_the_rules_are_shown_by_inspect(shell: Shell) -> None:
    write_tickets("t.csv", [("good film", "Good"), ("dull plot", "Bad"), ("a fine film", "Good")])
    Path("map.csv").write_text("from,to\nGod,Good\n")
    shell.do("tercet train t.csv -o a.tercet --fold-labels --map-labels map.csv")
    shown = "labels             blanks around them removed, 1 spelling replaced, other forms of a label joined\n"
    assert shown in shell.do("tercet inspect a.tercet").out
    rules = json.loads(shell.do("tercet inspect a.tercet --json").out)["record"]["label_rules"]
    assert rules == {"strip": True, "mapping": {"God": "Good"}, "fold": ["Bad", "Good"]}


def test_clean_labels_are_not_listed(shell: Shell) -> None:
    assert "from,to" not in shell.do("tercet train reviews.csv -o a.tercet").err


def test_it_is_said_that_typing_errors_were_not_looked_for(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    write_tickets("t.csv", [("good film", "Billing")] * 8 + [("dull plot", "billing")] * 2 + [("dull", "Biling")])
    monkeypatch.setitem(sys.modules, "rapidfuzz.distance", None)
    monkeypatch.setitem(sys.modules, "rapidfuzz", None)
    told = shell.do("tercet train t.csv -o a.tercet").err
    assert "typing errors were not looked for: pip install 'tercet[tables]'" in told
    assert "Biling" not in told.split("leave-one-out")[0]
    assert "not looked for" not in shell.do("tercet train reviews.csv -o a.tercet").err


@pytest.mark.parametrize("options", ["", "--fold-labels", "--fold-labels --calibrate auto"])
def test_the_order_of_the_rows_does_not_change_the_file(shell: Shell, options: str) -> None:
    rows, files = invent_tickets(2), set()
    for seed in range(3):
        write_tickets("t.csv", random.Random(seed).sample(rows, len(rows)))
        shell.do(f"tercet train t.csv -o {seed}.tercet {options}")
        files.add(Path(f"{seed}.tercet").read_bytes())
    assert len(files) == 1


def test_a_pipe_can_be_folded_too(shell: Shell) -> None:
    write_tickets("t.csv", invent_tickets(3))
    shell.do("tercet train t.csv -o a.tercet --fold-labels")
    shell.do("tercet train - --format csv -o b.tercet --fold-labels < t.csv")
    assert Path("a.tercet").read_bytes() == Path("b.tercet").read_bytes()


@pytest.mark.parametrize("options", ["", "--fold-labels", "--map-labels map.csv", "--fold-labels --map-labels map.csv"])
def test_learn_and_forget_read_labels_by_the_rules_of_the_model(shell: Shell, options: str) -> None:
    rows = invent_tickets(4)
    half = len(rows) // 2
    Path("map.csv").write_text("from,to\nBiling,Billing\n")
    write_tickets("all.csv", rows)
    write_tickets("new.csv", rows[half:])
    shell.do(f"tercet train all.csv -o all.tercet --smoothing 1 {options}")
    before = Path("all.tercet").read_bytes()
    shell.do("tercet learn all.tercet new.csv")
    assert Path("all.tercet").read_bytes() != before
    shell.do("tercet forget all.tercet new.csv")
    assert Path("all.tercet").read_bytes() == before
    shell.do("tercet forget all.tercet new.csv -o rest.tercet")
    rules = tercet.load("all.tercet").record_.label_rules
    kept = [(text, rules.apply(label)) for text, label in rows[:half]]
    c = tercet.Categorizer(model=tercet.NaiveBayes("binary", 1.0)).fit(*zip(*kept, strict=True))
    assert tercet.load("rest.tercet").table_ == c.table_
    assert "has learned" in shell.do("tercet evaluate all.tercet new.csv").err
    measured = json.loads(shell.do("tercet evaluate rest.tercet new.csv --json").out)
    assert set(measured["labels"]) <= {rules.apply(label) for _, label in rows}


def test_test_data_are_read_by_the_rules_that_training_has_found(shell: Shell) -> None:
    write_tickets("t.csv", [("good film", "Good")] * 4 + [("dull plot", "Bad")] * 4)
    write_tickets("test.csv", [("good film", "GOOD "), ("dull plot", "bad"), ("dull plot", "Bad"), ("dull plot", "Bad")])
    for options, accuracy in (("--fold-labels", 1.0), ("", 0.5)):
        told = shell.do(f"tercet train t.csv -o a.tercet --test test.csv --json {options}")
        assert json.loads(told.out)["test"]["metrics"]["accuracy"]["value"] == accuracy
        told = shell.do("tercet evaluate a.tercet test.csv --json")
        assert json.loads(told.out)["metrics"]["accuracy"]["value"] == accuracy
    shell.do("tercet train t.csv -o a.tercet --fold-labels")
    shell.do("tercet train t.csv -o b.tercet --smoothing 3 --fold-labels")
    assert "1.000" in shell.do("tercet compare a.tercet b.tercet test.csv").out
    shell.do("tercet figure confusion a.tercet test.csv -o confusion.svg")
    assert "GOOD" not in Path("confusion.svg").read_text()


def test_a_model_made_by_fit_takes_labels_as_they_are(shell: Shell) -> None:
    tercet.Categorizer().fit(["so good", "so bad"], ["good ", "bad"]).save("own.tercet")
    write_tickets("t.csv", [("very good", "good ")])
    shell.do("tercet learn own.tercet t.csv")
    assert tercet.load("own.tercet").table_.n_documents.tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "none.csv can't be opened"),
        ("label,name\n", "its first line must be from,to"),
        ("from,to\na,b\nb,c\n", "map.csv: the label 'a' is replaced by 'b', which is itself replaced by 'c'"),
        ("from,to\na,\n", "map.csv, line 2: a label is missing"),
    ],
)
def test_a_wrong_map_is_one_line_and_nothing_is_written(shell: Shell, content: str | None, message: str) -> None:
    name = "none.csv" if content is None else "map.csv"
    if content is not None:
        Path(name).write_text(content)
    refused = shell(f"tercet train reviews.csv -o new.tercet --map-labels {name}")
    assert refused.code == 2
    assert message in refused.err
    assert len(refused.err.splitlines()) == 1
    assert not Path("new.tercet").exists()


def test_a_map_is_not_overwritten_by_the_model(shell: Shell) -> None:
    Path("map.csv").write_text("from,to\na,b\n")
    assert "would be overwritten" in shell("tercet train reviews.csv -o x.tercet --suspects map.csv --map-labels map.csv").err
    assert Path("map.csv").read_text() == "from,to\na,b\n"


def test_learn_tells_new_labels_and_asks_if_one_looks_misspelled(shell: Shell) -> None:
    write_tickets("t.csv", [("good film", "Billing")] * 4 + [("dull plot", "Refund")] * 4)
    shell.do("tercet train t.csv -o a.tercet")
    write_tickets("new.csv", [("a new text", "Shipping")] * 2 + [("another text", "Billing")])
    told = shell.do("tercet learn a.tercet new.csv").err
    assert "new label: Shipping (2 documents)\n3 documents learned; written: a.tercet" in told
    before = Path("a.tercet").read_bytes()
    for label, known in (("Biling", "Billing"), ("BILLING", "Billing"), ("shipping", "Shipping")):
        write_tickets("new.csv", [("a text", label), ("more", "Wholly new")])
        refused = shell("tercet learn a.tercet new.csv")
        assert (refused.code, refused.out) == (2, "")
        assert f"'{label}' (1 document) looks like '{known}'. Nothing is changed." in refused.err
        assert "--new-labels" in refused.err
        assert Path("a.tercet").read_bytes() == before
        told = shell.do("tercet learn a.tercet new.csv --new-labels -o b.tercet").err
        assert f"new label: {label} (1 document)\n" in told
        assert "new label: Wholly new (1 document)\n" in told


def test_new_labels_are_compared_with_each_other_and_few_are_named(shell: Shell) -> None:
    names = ["Billing", "Refund", "Shipping", "Warranty", "Complaint"]
    write_tickets(
        "new.csv", [(f"text {i}", name) for name in names for i in range(3)] + [("b", name + name[-1]) for name in names]
    )
    refused = shell("tercet learn reviews.tercet new.csv")
    assert refused.code == 2
    assert refused.err.count("looks like") == MAX_NAMED
    assert f"{len(names) - MAX_NAMED} more" in refused.err


def test_many_new_labels_are_cut(shell: Shell) -> None:
    write_tickets("new.csv", [("a text", f"group {i}") for i in range(25)])
    told = shell.do("tercet learn reviews.tercet new.csv --text text --label label").err
    assert told.count("new label: ") == 20
    assert "… 5 more new labels\n25 documents learned" in told


def test_the_recipe_file_may_ask_for_joined_labels(shell: Shell) -> None:
    write_tickets("t.csv", [("good film", "Good"), ("dull plot", "Bad"), ("so good", "good")] * 2)
    Path("map.csv").write_text("from,to\nBad,Poor\n")
    Path("own.toml").write_text('fold-labels = true\nmap-labels = "map.csv"\n')
    shell.do("tercet train t.csv -o a.tercet --config own.toml")
    assert list_labels("a.tercet") == ["Good", "Poor"]


def test_learn_tells_documents_that_were_learned_before_and_once_skips_them(shell: Shell) -> None:
    first = [("good film", "good"), ("dull plot", "bad"), ("dull plot", "bad")]
    more = [("a clever cast", "good"), ("good film", "bad")]
    write_tickets("first.csv", first)
    write_tickets("both.csv", first + more)
    shell.do("tercet train first.csv -o a.tercet --smoothing 1")
    told = shell.do("tercet learn a.tercet both.csv -o twice.tercet").err
    assert "learned before: 3 of 5 documents, and --once would skip them\n5 documents learned" in told
    told = shell.do("tercet learn a.tercet both.csv --once").err
    assert "learned before, and skipped: 3 of 5 documents\n2 documents learned" in told
    c = tercet.Categorizer(model=tercet.NaiveBayes("binary", 1.0)).fit(*zip(*(first + more), strict=True))
    assert tercet.load("a.tercet").table_ == c.table_
    before = Path("a.tercet").read_bytes()
    assert "5 of 5 documents\n0 documents learned" in shell.do("tercet learn a.tercet both.csv --once").err
    assert Path("a.tercet").read_bytes() == before
    assert "learned before" not in shell.do("tercet learn a.tercet reviews.csv").err


def test_once_needs_fingerprints(shell: Shell) -> None:
    shell.do("tercet train reviews.csv -o a.tercet --no-fingerprints")
    refused = shell("tercet learn a.tercet new.csv --once")
    assert refused.code == 2
    assert "no fingerprints" in refused.err
    assert "learned before" not in shell.do("tercet learn a.tercet reviews.csv").err


def write_relabelled(old: str, new: str, corrections: dict[str, str]) -> None:
    """The same rows, with the labels of these texts corrected."""
    rows = read_rows(old)
    write_tickets(new, [(row["text"], corrections.get(row["text"], row["label"])) for row in rows])


@pytest.mark.parametrize("old", ["", "--old before"])
def test_relabelling_is_training_with_the_new_labels(shell: Shell, old: str) -> None:
    corrections = {row["text"]: row["label"] for row in read_rows("corrected.csv")}
    write_relabelled("reviews.csv", "right.csv", corrections)
    shell.do("tercet train right.csv -o right.tercet --smoothing 0.5 --text text --label label")
    told = shell.do(f"tercet relabel m.tercet corrected.csv --text text --label label {old}")
    assert "5 documents relabelled; written: m.tercet" in told.err
    relabelled, right = tercet.load("m.tercet"), tercet.load("right.tercet")
    assert relabelled.table_ == right.table_
    assert relabelled.fitted_.state.prints == right.fitted_.state.prints  # type: ignore[union-attr]
    # Once more changes nothing, because the documents have their new labels now.
    before = Path("m.tercet").read_bytes()
    if not old:
        told = shell.do("tercet relabel m.tercet corrected.csv --text text --label label")
        assert "0 documents relabelled; 5 had this label already; written: m.tercet" in told.err
        assert Path("m.tercet").read_bytes() == before
        return
    refused = shell(f"tercet relabel m.tercet corrected.csv --text text --label label {old}")
    assert refused.code == 2
    assert "corrected.csv, line 2: this document was never learned with this label and weight" in refused.err
    assert Path("m.tercet").read_bytes() == before


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        (
            ["good film,x,good", "never seen,x,good"],
            "",
            "c.csv, line 3: this document was never learned: no learned document has exactly this text",
        ),
        (
            ["both,x,good"],
            "",
            "c.csv, line 2: this document was learned with several labels ('bad', 'good'): give the old label",
        ),
        (
            ["good film,x,bad"],
            "--old before",
            "line 2: this document was never learned with this label and weight (a shortened",
        ),
        (["good film,x, "], "--old before", "c.csv, line 2: it has no old label in 'before': add it. Nothing is changed."),
        (["good film,x,good"], "--old was", "c.csv has no column 'was'"),
        (["good film,x,good"], "--old label", "the column 'label' has the new labels: name another one with --old"),
        (["good film,Goood,good"], "", "'Goood' (1 document) looks like 'good'"),
    ],
)
def test_what_cannot_be_relabelled_is_told_with_its_line(shell: Shell, rows: list[str], options: str, message: str) -> None:
    write_tickets("t.csv", [("good film", "good"), ("dull plot", "bad"), ("both", "good"), ("both", "bad")])
    shell.do("tercet train t.csv -o a.tercet")
    before = Path("a.tercet").read_bytes()
    Path("c.csv").write_text("\n".join(["text,label,before", *rows]) + "\n")
    refused = shell(f"tercet relabel a.tercet c.csv --text text --label label {options}")
    assert refused.code == 2
    assert message in refused.err
    assert Path("a.tercet").read_bytes() == before


def test_old_labels_are_read_by_the_rules_of_the_model(shell: Shell) -> None:
    write_tickets("t.csv", [("good film", "Good"), ("dull plot", "Bad")])
    shell.do("tercet train t.csv -o a.tercet --fold-labels")
    Path("c.csv").write_text("text,label,before\ngood film, BAD,GOOD \n")
    shell.do("tercet relabel a.tercet c.csv --text text --label label --old before")
    assert list_labels("a.tercet") == ["Bad"]


def test_without_fingerprints_the_column_of_old_labels_is_asked_for(shell: Shell) -> None:
    shell.do("tercet train reviews.csv -o a.tercet --no-fingerprints")
    refused = shell("tercet relabel a.tercet corrected.csv --text text --label label")
    assert refused.code == 2
    assert "name their column with --old" in refused.err
    shell.do("tercet relabel a.tercet corrected.csv --text text --label label --old before")


def test_refit_makes_the_model_of_all_documents(shell: Shell) -> None:
    corrections = {row["text"]: row["label"] for row in read_rows("corrected.csv")}
    write_relabelled("reviews.csv", "right.csv", corrections)
    told = shell.do("tercet relabel margins.tercet corrected.csv --text text --label label").err
    assert "`tercet refit` works them out anew, from all its documents" in told
    before = Path("margins.tercet").read_bytes()
    refused = shell("tercet refit margins.tercet reviews.csv --text text --label label")
    assert refused.code == 2
    assert (
        "not exactly the documents that were learned (120 were learned, 120 are given, and 5 of them were never" in refused.err
    )
    assert Path("margins.tercet").read_bytes() == before
    told = shell.do("tercet refit margins.tercet right.csv --text text --label label").err
    assert "trained on 120 documents; written: margins.tercet" in told
    shell.do("tercet train right.csv -o right.tercet --model svm --text text --label label")
    texts = [row["text"] for row in read_rows("test.csv")]
    refitted, right = tercet.load("margins.tercet"), tercet.load("right.tercet")
    assert not refitted.is_stale_  # type: ignore[union-attr]
    assert refitted.log_joint(texts).tolist() == right.log_joint(texts).tolist()


@pytest.mark.parametrize("command", ["learn", "forget", "relabel", "refit"])
def test_a_compact_model_is_not_changed(shell: Shell, command: str) -> None:
    shell.do("tercet train reviews.csv -o small.tercet --compact")
    refused = shell(f"tercet {command} small.tercet reviews.csv")
    assert refused.code == 2
    assert "a compact categorizer has weights and no counts" in refused.err


def test_documents_of_several_columns_are_corrected_too(shell: Shell) -> None:
    shell.do("tercet train tickets.csv -o a.tercet --text subject --text body --label queue --categorical mailer --smoothing 1")
    rows = read_rows("tickets.csv")
    rows[0]["queue"] = "tech"
    for name, some in (("right.csv", rows), ("first.csv", rows[:1])):
        with open(name, "w", newline="") as file:
            table = csv.DictWriter(file, list(rows[0]))
            table.writeheader()
            table.writerows(some)
    shell.do("tercet relabel a.tercet first.csv")
    assert "and skipped: 6 of 6 documents" in shell.do("tercet learn a.tercet right.csv --once").err
    shell.do("tercet train right.csv -o b.tercet --text subject --text body --label queue --categorical mailer --smoothing 1")
    one, other = tercet.load("a.tercet"), tercet.load("b.tercet")
    assert one.table_ == other.table_  # type: ignore[union-attr]
    assert one.fitted_.state.prints == other.fitted_.state.prints  # type: ignore[union-attr]


def test_spellings_of_several_files_are_joined(shell: Shell) -> None:
    rows = invent_tickets(5)
    write_tickets("all.csv", rows)
    for i in range(3):
        write_tickets(f"part{i}.csv", rows[i::3])
    shell.do("tercet train all.csv -o a.tercet --fold-labels")
    shell.do("tercet train part0.csv part1.csv part2.csv -o b.tercet --fold-labels")
    assert Path("a.tercet").read_bytes() == Path("b.tercet").read_bytes()
    before = Path("a.tercet").read_bytes()
    shell.do("tercet forget a.tercet part1.csv part2.csv")
    shell.do("tercet learn a.tercet part2.csv part1.csv --new-labels")
    assert Path("a.tercet").read_bytes() == before


def test_a_test_file_whose_labels_are_ids_is_refused_before_it_is_predicted(shell: Shell) -> None:
    Path("train.csv").write_text("text,label\n" + "to be,x\nor not,y\n" * 20)
    assert shell("tercet train train.csv -o m.tercet --fast").code == 0
    Path("ids.csv").write_text("text,label\nto be,x\n" + "".join(f"to be {k},id{k}\n" for k in range(1200)))
    refused = shell("tercet evaluate m.tercet ids.csv --label label")
    assert refused.code == 2
    assert "every row has its own label, so there is nothing to learn" in refused.err


def test_a_model_that_is_not_shown_to_be_better_than_the_majority_says_so_first(shell: Shell) -> None:
    rows = [f"{random.Random(i).choice(GOOD)} {random.Random(-i - 1).choice(BAD)},{'x' if i % 3 else 'y'}" for i in range(60)]
    Path("chance.csv").write_text("\n".join(["text,label", *rows]) + "\n")
    for options in ("", " --fast"):
        first = shell.do(f"tercet train chance.csv -o m.tercet{options}").out.splitlines()[0]
        assert first.startswith("Not shown to be better than always answering 'x': accuracy 0.")
    clear = [f"{GOOD[i % 8]} {GOOD[i % 5]},x\n{BAD[i % 8]} {BAD[i % 5]},y" for i in range(30)]
    Path("clear.csv").write_text("\n".join(["text,label", *clear]) + "\n")
    assert "60 documents" in shell.do("tercet train clear.csv -o m.tercet").out.splitlines()[0]
    assert json.loads(shell.do("tercet train clear.csv -o m.tercet --json").out)["doubt"] == ""


def test_too_many_probabilities_for_memory_are_not_kept(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("train.csv").write_text("text,label\n" + "to be,x\nor not,y\n" * 20)
    shell.do("tercet train train.csv -o m.tercet --fast")
    Path("test.csv").write_text("text,label\n" + "so be,x\nso not,y\nto be,z\n" * 10)
    whole = json.loads(shell.do("tercet evaluate m.tercet test.csv --json").out)
    monkeypatch.setattr("tercet.cli.predictions.MAX_KEPT", 89)
    outcome = shell.do("tercet evaluate m.tercet test.csv --json")
    assert "30 documents × 3 labels are too many probabilities for memory" in outcome.err
    found = json.loads(outcome.out)
    assert "log_loss" in whole["metrics"].keys() - found["metrics"].keys()
    assert (found["confusion"], found["metrics"]["accuracy"]) == (whole["confusion"], whole["metrics"]["accuracy"])
