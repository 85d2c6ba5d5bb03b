"""The page in a real browser: every view by the keyboard alone, what screen readers get, and several people at once."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.browsers import Browser, Site, Visitor, classify, expect, serve_site, visit, wait_for_quiet
from helpers.servers import PASSWORD

import tercet
from tercet import Documents
from tercet.ledger.ledger import Ledger
from tercet.ledger.verification import verify
from tercet.models.nbsvm import NBSVM
from tercet.server.served_model import ModelLocation

pytestmark = pytest.mark.browser

INBOX = "text,who\n" + "".join(
    f"a {word} film number {i},person {i}\n" for i, word in enumerate(["good", "bad", "dull", "warm"] * 3)
)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with serve_site(tmp_path) as served:
        yield served


@pytest.fixture
def ann(browser: Browser, site: Site) -> Iterator[Visitor]:
    with visit(browser, site, "ann") as visitor:
        yield visitor


def import_inbox(visitor: Visitor, content: str = INBOX, name: str = "inbox.csv") -> None:
    """Import a table on the view Label."""
    visitor.open("l")
    visitor.press("i")
    visitor.tab_to(visitor.page.get_by_label("File", exact=True))
    visitor.press("Enter")
    visitor.choose_file(name, content.encode())
    visitor.tab_to(visitor.page.get_by_label("Column of the person"))
    visitor.write("who")
    visitor.press("Enter")
    expect(visitor.page.get_by_role("dialog")).to_have_count(0)
    expect(visitor.page.locator(".label-work .choice").first).to_be_visible()


# Classify.


def test_a_text_is_classified_explained_and_corrected_by_keys(ann: Visitor) -> None:
    page = ann.page
    expect(page.get_by_role("textbox", name="Text", exact=True)).to_be_focused()  # one can write at once
    ann.write("a lovely warm plot")
    expect(page.locator(".answer-title")).to_contain_text("pos")
    expect(page.locator(".word")).to_have_text(["a", "lovely", "warm", "plot"])
    ann.press("Escape", "e")
    expect(page.locator(".word").first).to_be_focused()
    ann.press("ArrowRight")
    detail = page.locator(".word-detail")
    expect(detail).to_contain_text("lovely adds +")
    expect(detail).to_contain_text("log (")
    expect(detail).to_contain_text("1 × pos (1 document)")
    assert "for" in (page.locator(".word").nth(1).get_attribute("class") or "")
    assert "against" in (page.locator(".word").nth(3).get_attribute("class") or "")
    ann.press("1")  # wrong, it is "neg"
    ann.see("Corrected: it is “neg”.")
    expect(page.locator(".answer-title")).to_contain_text("neg")
    ann.press("u")
    ann.see("Undone: Corrected")
    expect(page.locator(".answer-title")).to_contain_text("pos")
    ann.press("Enter")
    ann.see("Confirmed: it is “pos”.")


def test_pieces_of_a_text_keep_their_places_beyond_the_first_plane(ann: Visitor) -> None:
    classify(ann, "😀😀 lovely 😀 plot\n\nبد lovely")
    assert ann.page.locator(".painted").inner_text() == "😀😀 lovely 😀 plot\n\nبد lovely"
    assert ann.page.locator(".word").all_inner_texts() == ["lovely", "plot", "lovely"]


def test_two_models_answer_side_by_side(browser: Browser, tmp_path: Path) -> None:
    places = [write_named(tmp_path, name, labels) for name, labels in (("first", "+-+-"), ("second", "-+-+"))]
    with serve_site(tmp_path, places) as site, visit(browser, site) as ann:
        ann.write("lovely")
        ann.tab_to(ann.page.get_by_label("Compare with"))
        ann.press("ArrowDown")
        expect(ann.page.locator(".answer-title")).to_contain_text(["first: +", "second: -"])


def test_the_answer_is_shown_anew_after_the_training_that_follows_a_correction(browser: Browser, tmp_path: Path) -> None:
    documents = Documents([f"{word} {i}" for i in range(8) for word in ("lovely film", "dull film")], ["+", "-"] * 8)
    model = tercet.Categorizer(model=NBSVM(), keep_documents=True)
    Ledger.begin(tmp_path / "m.ledger", model, documents, actor="ann").close()
    place = ModelLocation("m", tmp_path / "m.tercet", str(tmp_path / "m.ledger"))
    with serve_site(tmp_path, [place]) as site, visit(browser, site) as ann:
        classify(ann, "lovely lovely thing")
        expect(ann.page.locator(".answer-title")).to_contain_text("+")
        before = ann.page.locator(".answer-number").inner_text()
        ann.press("2")
        ann.see("Corrected: it is “-”.")
        expect(ann.page.locator(".answer-number")).not_to_have_text(before)
        expect(ann.page.locator(".answer")).to_contain_text("trained on everything that was learned")


def write_named(folder: Path, name: str, labels: str) -> ModelLocation:
    documents = Documents(["a lovely film", "a dull plot", "lovely and warm", "dull and bad"], list(labels))
    Ledger.begin(folder / f"{name}.ledger", tercet.Categorizer(), documents, actor="ann").close()
    return ModelLocation(name, folder / f"{name}.tercet", str(folder / f"{name}.ledger"))


def test_files_and_letters_are_read(ann: Visitor) -> None:
    mail = "From: zoe@example.org\nSubject: =?utf-8?q?a_l=C3=B6vely_film?=\nContent-Type: text/plain\n\nso good and warm\n"
    files = {
        "notes.txt": "dull, and a böring plot".encode("cp1252"),
        "wide.txt": "a warm plot".encode("utf-16"),
        "letter.eml": mail.encode(),
    }
    shown = ann.page.get_by_role("textbox", name="Text", exact=True)
    for (name, content), words in zip(files.items(), ("böring", "a warm plot", "so good and warm"), strict=True):
        ann.press("Escape", "o")
        ann.choose_file(name, content)
        expect(shown).to_have_value(re.compile(words))
        ann.see(name)
    ann.press("o")
    ann.choose_file("photo.jpg", b"\xff\xd8\0\0")
    ann.see("photo.jpg is not a text file.")


def test_a_model_of_columns_has_a_field_for_each(browser: Browser, tmp_path: Path) -> None:
    columns = {"title": ["good day", "bad day", "good", "bad"], "body": ["warm"] * 4}
    documents = Documents.join(columns, ["+", "-", "+", "-"], columns={"stars": [5, 1, 4, 2]})
    model = tercet.Categorizer(numeric=["stars"])
    Ledger.begin(tmp_path / "wide.ledger", model, documents, actor="ann").close()
    place = ModelLocation("wide", tmp_path / "wide.tercet", str(tmp_path / "wide.ledger"))
    with serve_site(tmp_path, [place]) as site, visit(browser, site) as ann:
        ann.write("a good day")
        ann.press("Tab")
        ann.write("warm")
        ann.see("The model also reads a number in “stars”: write it for an answer.")  # the server is not asked in vain
        ann.press("Tab")
        ann.write("5")
        expect(ann.page.locator(".answer-title")).to_contain_text("+")
        expect(ann.page.locator(".column-name").first).to_have_text("title")
        ann.press("Escape", "Enter")
        ann.see("Confirmed: it is “+”.")


def test_many_labels_are_searched(browser: Browser, tmp_path: Path) -> None:
    names = [f"topic {i:02}" for i in range(30)]
    documents = Documents([f"about {name} and word{i}" for i, name in enumerate(names)], names)
    Ledger.begin(tmp_path / "many.ledger", tercet.Categorizer(), documents, actor="ann").close()
    place = ModelLocation("many", tmp_path / "many.tercet", str(tmp_path / "many.ledger"))
    with serve_site(tmp_path, [place]) as site, visit(browser, site) as ann:
        ann.write("about word17")
        choices = ann.page.locator(".choice:not(.plain)")
        expect(choices).to_have_count(9)
        expect(choices.first).to_contain_text("topic 17")
        ann.tab_to(ann.page.get_by_role("searchbox", name="Find a label"))
        ann.write("23")
        expect(choices).to_have_count(1)
        ann.press("Enter")
        ann.see("Corrected: it is “topic 23”.")


def test_a_new_label_is_learned_after_it_was_written(ann: Visitor) -> None:
    classify(ann, "see you at eight")
    ann.tab_to(ann.page.get_by_role("button", name="Another label …"))
    ann.press("Enter")
    ann.write("private")
    ann.press("Enter")
    ann.see("Corrected: it is “private”.")
    expect(ann.page.locator(".choice")).to_have_count(4)


# Label.


GERMAN = "Nr;Bearbeiter;Text\r\n" + "".join(f"{i};{'Müller' if i % 5 else 'Roth'};ein Brief zu Fall {i}\r\n" for i in range(50))


def test_a_german_table_of_excel_is_imported_whole_and_can_be_deleted(ann: Visitor) -> None:
    page = ann.page
    ann.open("l")
    ann.press("i")
    ann.tab_to(page.get_by_label("File", exact=True))
    ann.press("Enter")
    ann.choose_file("fälle.csv", GERMAN.encode("cp1252"))
    ann.tab_to(page.get_by_label("Column of the person"))
    ann.press("Enter")
    ann.see("Western European")
    ann.talk.clear()  # the browser notes that the file was refused
    ann.see("1;Müller;ein Brief zu Fall 1")
    ann.tab_to(page.get_by_role("button", name="Read it as"))
    ann.press("Enter")
    ann.see("50 texts imported into “fälle”.")
    expect(page.get_by_text("could not be read")).to_have_count(0)
    expect(page.locator(".label-work .choice").first).to_be_visible()
    ann.tab_to(page.get_by_role("button", name="Delete these texts"))
    ann.press("Enter")
    ann.see("The history keeps the texts")
    ann.tab_to(page.get_by_role("dialog").get_by_role("button", name="Delete", exact=True))
    ann.press("Enter")
    ann.see("No texts to label yet")


def test_rows_that_are_lost_are_said_to_be(ann: Visitor) -> None:
    ann.open("l")
    ann.press("i")
    ann.tab_to(ann.page.get_by_label("File", exact=True))
    ann.press("Enter")
    rows = "".join(f"{i},a letter {i}\n" if i % 3 else f"{i}\n" for i in range(12))
    ann.choose_file("new.csv", f"id,text\n{rows}".encode())
    ann.tab_to(ann.page.get_by_label("Column of the person"))
    ann.press("Enter")
    ann.see("4 of 12 rows could not be read, and are missing")
    ann.see("they are not in the pool")


def test_two_people_get_different_texts(ann: Visitor, browser: Browser, site: Site) -> None:
    import_inbox(ann)
    with visit(browser, site, "ben") as ben:
        ben.open("l")
        expect(ben.page.locator(".label-work .choice").first).to_be_visible()
        hers, his = (each.page.locator(".label-text").first.inner_text() for each in (ann, ben))
        assert hers != his


def test_a_table_is_not_one_text(ann: Visitor) -> None:
    ann.press("Escape", "o")
    ann.choose_file("letters.csv", b"id,text\n1,a lovely film\n2,dull and bad\n")
    ann.see("Each row is one text")
    with ann.page.expect_download() as loading:
        ann.tab_to(ann.page.get_by_role("button", name="Classify the rows"))
        ann.press("Enter")
    assert loading.value.suggested_filename == "letters-answers.csv"
    lines = Path(loading.value.path()).read_text().splitlines()
    assert (lines[0], len(lines)) == ("id,text,label,probability,error", 3)
    expect(ann.page.get_by_role("textbox", name="Text", exact=True)).to_have_value("")
    ann.press("Escape", "o")
    ann.choose_file("letters.xlsx", b"PK\x03\x04")
    ann.see("Save it as CSV")


def test_texts_are_imported_and_labelled_by_keys(ann: Visitor, site: Site, tmp_path: Path) -> None:
    page = ann.page
    import_inbox(ann)
    ann.see("12 texts imported into “inbox”.")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_role("region", name="Last import")).not_to_contain_text("false")
    said = page.locator(".said")
    ann.press("2")
    expect(said).to_contain_text("“pos”, learned")
    ann.press("s")
    expect(said).to_contain_text("skipped")
    ann.press("0")
    expect(said).to_contain_text("not sure")
    ann.press("Enter")
    expect(said).to_contain_text("learned")
    ann.press("n")
    ann.write("see the guide")
    ann.press("Enter")
    ann.see("Note kept.")
    expect(page.locator(".recent li")).to_have_count(4)
    first = page.locator(".label-text").first.inner_text()
    ann.press("1")
    expect(page.locator(".recent li")).to_have_count(5)
    ann.press("u")
    expect(page.locator(".label-text").first).to_have_text(first)
    expect(page.locator(".recent li")).to_have_count(4)
    ann.press("e")
    expect(page.locator(".evidence .word").first).to_be_focused()
    for _ in range(40):  # a key is not taken while the last one is written
        if page.get_by_text("All done").first.is_visible():
            break
        ann.press("2")
        page.wait_for_timeout(200)
    ann.see("All done")
    assert verify(tmp_path / "reviews.ledger").is_good


def test_people_who_disagree_settle_it(browser: Browser, site: Site) -> None:
    with visit(browser, site, "ann") as ann, visit(browser, site, "ben") as ben:
        import_inbox(ann, "text,who\na zebra film,p\n")
        for visitor in (ann, ben):
            visitor.open("l")
            visitor.tab_to(visitor.page.get_by_label("People per text"))
            visitor.press("ArrowDown")
            visitor.see("a zebra film")
            visitor.press("Escape")
        ann.press("1")
        ann.see("All done")
        ben.press("2")
        ben.see("1 disagreement to settle")
        ben.see("Krippendorff")
        ben.tab_to(ben.page.locator(".disagreements button").first)
        ben.press("Enter")
        ben.see("Settled: it is “neg”.")
        expect(ben.page.get_by_text("to settle")).to_be_hidden()


# History.


def test_history_is_filtered_walked_and_changed_by_keys(ann: Visitor) -> None:
    page = ann.page
    classify(ann, "a zebra of a film")
    ann.press("1")
    ann.see("Corrected")
    ann.open("h")
    rows = page.locator(".list-row")
    expect(rows.first).to_contain_text("learned")
    ann.press("ArrowDown")
    expect(rows.first).to_be_focused()
    ann.press("Enter")
    expect(rows.first.locator(".full-text")).to_have_text("a zebra of a film")
    ann.tab_to(rows.first.get_by_role("button", name="Correct the label …"))
    ann.press("Enter", "2")
    ann.see("is now “pos”.")
    expect(rows.first).to_contain_text("relabelled")
    expect(page.locator(".badge", has_text="corrected").first).to_be_visible()
    ann.press("u")
    ann.see("Undone:")
    expect(rows.first).to_contain_text("undid")
    ann.press("/")
    ann.tab_to(page.get_by_label("What"))
    ann.press("ArrowDown", "ArrowDown", "ArrowDown")  # imported
    expect(rows).to_have_count(6)
    ann.press("Tab", "ArrowDown", "ArrowDown")  # pos
    expect(rows).to_have_count(3)
    ann.tab_to(page.get_by_label("From event"))
    ann.write("4")
    ann.press("Tab")
    expect(rows).to_have_count(2)


def test_undo_of_another_persons_step_asks(browser: Browser, site: Site) -> None:
    with visit(browser, site, "ann") as ann, visit(browser, site, "ben") as ben:
        classify(ann, "a zebra of a film")
        ann.press("1")
        ann.see("Corrected")
        ben.open("h")
        expect(ben.page.locator(".list-row").first).to_be_visible()
        ben.press("ArrowDown", "d")
        dialog = ben.page.get_by_role("dialog", name="Undo the step of somebody else?")
        expect(dialog).to_contain_text("ann learned this")
        ben.press("Enter")  # Cancel has the focus
        expect(dialog).to_have_count(0)
        expect(ben.page.locator(".list-row").first).to_contain_text("learned")
        ben.press("d")
        ben.tab_to(dialog.get_by_role("button", name="Undo event"))
        ben.press("Enter")
        expect(ben.page.locator(".list-row").first).to_contain_text("undid")
        ann.open("h")
        expect(ann.page.locator(".list-row").nth(1)).to_contain_text("undone")


def test_two_people_see_the_same_history_at_once(browser: Browser, site: Site, tmp_path: Path) -> None:
    with visit(browser, site, "ann") as ann, visit(browser, site, "ben") as ben, visit(browser, site, "ann") as watcher:
        watcher.open("h")
        for i in range(4):
            for visitor in (ann, ben):
                classify(visitor, f"zebra {visitor is ann} {i}")
                visitor.press("1" if i % 2 else "2")
                visitor.see("Learned as event")
            ben.press("u")
            ben.see("Undone:")
            ben.page.locator("#messages button").first.wait_for()
        rows = watcher.page.locator(".list-row")
        expect(rows.first).to_contain_text("undid")
        with Ledger.open(tmp_path / "reviews.ledger") as ledger:
            last = ledger.head.number
            learned = list(ledger.search(verb="learn"))
            in_effect = {event.number: ledger.history.is_in_effect(event.number) for event in learned}
            assert len(learned) == 8
            assert {event.actor for event in learned if in_effect[event.number]} == {"ann"}
        expect(rows).to_have_count(last)
        numbers = watcher.page.locator(".event-number").all_inner_texts()
        assert numbers == [str(number) for number in range(last, 0, -1)]
        for event in learned:
            badge = watcher.page.locator(".list-row").nth(last - event.number).locator(".badge")
            expect(badge).to_have_text([] if in_effect[event.number] else ["undone"])
    assert verify(tmp_path / "reviews.ledger").is_good


def test_a_person_is_erased_after_a_typed_confirmation(ann: Visitor, tmp_path: Path) -> None:
    page = ann.page
    classify(ann, "the zyzzyva came")
    ann.press("1")
    ann.open("h")
    ann.press("e")
    dialog = page.get_by_role("dialog", name="Erase for ever")
    ann.write("person 3")
    expect(dialog).to_contain_text("The ledger has 1 event about this person")
    erase = dialog.get_by_role("button", name="Erase for ever")
    ann.press("Tab", "Tab")
    ann.write("person")
    expect(erase).to_be_disabled()
    ann.write(" 3")
    expect(erase).to_be_enabled()
    with page.expect_download() as download:
        ann.press("Enter")
    certificate = json.loads(Path(download.value.path()).read_text())
    assert certificate["certificate"] == "tercet erasure 2"
    ann.see("1 document erased. The certificate is saved.")
    expect(page.locator(".list-row", has_text="an awful plot")).to_have_count(0)
    expect(page.locator(".badge", has_text="erased").first).to_be_visible()
    assert b"person 3" not in (tmp_path / "reviews.ledger").read_bytes()

    ann.open("a")  # anybody who has the certificate can check it
    for subject, words in (
        ("person 3", "has erased 1 document for ever"),
        ("person 4", "it is about another subject"),
    ):
        ann.tab_to(page.get_by_role("button", name="Check a certificate …"))
        ann.press("Enter")
        ann.tab_to(page.get_by_label("Certificate", exact=True))
        ann.press("Enter")
        ann.choose_file("c.json", json.dumps(certificate).encode())
        ann.tab_to(page.get_by_label("Whom is it about?"))
        ann.write(subject)
        ann.press("Enter")
        ann.see(words)
        ann.press("Escape")
        expect(page.locator("dialog")).to_have_count(0)  # it leaves the page a moment after it closes


def test_somebody_who_is_not_known_is_not_erased(ann: Visitor) -> None:
    ann.open("h")
    ann.press("e")
    dialog = ann.page.get_by_role("dialog", name="Erase for ever")
    ann.write("Person 3")
    expect(dialog).to_contain_text("No event is about this person. The name must be exactly the same.")
    ann.press("Tab", "Tab")
    ann.write("Person 3")
    expect(dialog.get_by_role("button", name="Erase for ever")).to_be_disabled()


def test_texts_of_others_that_mention_a_person_are_listed_for_a_decision(ann: Visitor, tmp_path: Path) -> None:
    page = ann.page
    for text in ("Thanks to Cas Lee for the plot", "the mail of CAS@example.org", "a casual plot"):
        classify(ann, text)
        ann.press("1")
        ann.see("it is “neg”. Learned")
    ann.open("h")
    ann.press("e")
    dialog = page.get_by_role("dialog", name="Erase for ever")
    ann.write("person 3")
    expect(dialog).to_contain_text("No text of other people mentions these names.")
    ann.press("Tab")
    ann.write("Cas Lee\ncas@example.org")
    expect(dialog).to_contain_text("2 texts of other people mention the person, and will stay.")
    ann.tab_to(dialog.get_by_role("checkbox", name="Thanks to Cas Lee"))
    ann.press("Space")
    ann.tab_to(dialog.get_by_label("To confirm, type person 3"))
    ann.write("person 3")
    ann.press("Enter")
    ann.see("2 documents erased. The certificates are saved. 1 text of other people mentions the person, and stays.")
    kept = (tmp_path / "reviews.ledger").read_bytes()
    assert (b"Thanks to Cas" in kept, b"CAS@example.org" in kept) == (False, True)


def test_a_cleared_text_leaves_no_person_for_the_next_one(ann: Visitor) -> None:
    classify(ann, "a lovely plot")
    ann.page.get_by_text("Person and note").click()
    about = ann.page.get_by_label("Whom is the text about?")
    about.fill("person 9")
    ann.page.get_by_role("button", name="Clear").click()
    expect(about).to_have_value("")


def test_a_link_of_an_earlier_start_says_so(browser: Browser, site: Site) -> None:
    page = browser.new_page()
    page.goto(f"{site.url}/#token=old")
    expect(page.locator(".log-in")).to_contain_text("Open the link that the server has printed last.")
    page.close()


# Quality, words, about.


def test_quality_counts_what_was_judged(ann: Visitor) -> None:
    page = ann.page
    import_inbox(ann)
    for n in range(1, 6):
        ann.press("Enter" if n < 5 else "1")
        expect(page.locator(".recent li")).to_have_count(n)
    ann.open("q")
    expect(page.locator(".big-number")).to_contain_text("%")
    ann.see("of 5 proposals were right")
    expect(page.get_by_role("img", name="Share of right proposals")).to_be_visible()
    expect(page.get_by_role("region", name="Judged labels by proposed labels")).to_be_visible()


def test_quality_says_what_more_labels_would_bring(ann: Visitor) -> None:
    ann.open("q")
    ann.page.get_by_role("button", name="What would 50 more labels bring?").click()
    ann.see("can't tell what 50 more labels bring: 6 documents of 2 labels, it takes 50")


def test_quality_shows_what_the_doctor_finds_in_imported_files(ann: Visitor) -> None:
    import_inbox(ann, "text,who\na fine film,p\ncafÃ© and crÃ¨me,q\n")
    ann.see("What the doctor found")
    ann.open("q")
    section = ann.page.locator(".findings", has=ann.page.get_by_role("heading", name="inbox"))
    expect(section).to_contain_text("wrong decoding: 1 found, such as 'cafÃ© and crÃ¨me' (event 9).")
    expect(ann.page.locator(".findings", has_text="Documents with labels")).to_contain_text("6 texts")


def test_words_are_listed_and_searched(ann: Visitor) -> None:
    page = ann.page
    ann.open("w")
    expect(page.locator(".term").first).to_be_visible()
    ann.press("/")
    ann.write("lovely")
    ann.press("Enter")
    expect(page.get_by_role("heading", name="“lovely”")).to_be_focused()
    counts = page.get_by_role("region", name="Counts under each label")
    expect(counts.get_by_role("row").filter(has_text="pos")).to_contain_text("1")
    ann.see("a lovely warm story")
    ann.press("/", "ControlOrMeta+a")
    ann.write("qwertz")
    ann.press("Enter")
    ann.see("The model has not learned this word.")


def test_about_shows_the_card_and_makes_tokens(ann: Visitor, site: Site) -> None:
    page = ann.page
    ann.open("a")
    ann.see("Model card: tercet model")
    ann.see(tercet.__version__)
    ann.tab_to(page.get_by_label("What for"))
    ann.write("the nightly robot")
    ann.press("Enter")
    token = page.get_by_label("The new token").input_value()
    assert site.accounts.find(token) is not None
    ann.see("the nightly robot")
    ann.tab_to(page.get_by_role("button", name="Revoke").first)
    ann.press("Enter")
    ann.tab_to(page.get_by_role("dialog").get_by_role("button", name="Revoke"))
    ann.press("Enter")
    expect(page.get_by_text("the nightly robot")).to_have_count(0)
    assert site.accounts.find(token) is None
    with page.expect_download() as download:
        ann.tab_to(page.get_by_role("link", name="Export the model"))
        ann.press("Enter")
    exported = tercet.load(download.value.path())
    assert exported.predict(["so good"]).tolist() == ["pos"]


# Who gets in.


def test_people_log_in_by_name_and_password(browser: Browser, site: Site) -> None:
    site.accounts.add_user("cem", "teacher", PASSWORD)
    visitor = Visitor(browser, site, "")
    page = visitor.page
    expect(page.get_by_label("Name")).to_be_focused()
    visitor.write("cem")
    visitor.press("Tab")
    visitor.write("wrong horse")
    visitor.press("Enter")
    visitor.see("The name, the password or the token is wrong, or expired.")
    expect(page.get_by_label("Password")).to_be_focused()
    visitor.write(PASSWORD)
    visitor.press("Enter")
    expect(page.get_by_role("navigation", name="Views")).to_contain_text("History")
    visitor.press("Escape")
    visitor.tab_to(page.locator(".menu summary"))
    visitor.press("Enter")
    visitor.tab_to(page.get_by_role("button", name="Log out"))
    visitor.press("Enter")
    expect(page.get_by_label("Name")).to_be_focused()
    page.goto(site.make_link("rob"))  # in the same tab
    expect(page.get_by_role("navigation", name="Views")).to_be_visible()
    assert "token" not in page.url
    visitor.close()


def test_a_reader_is_offered_nothing_that_is_refused(browser: Browser, site: Site) -> None:
    with visit(browser, site, "rob") as rob:
        page = rob.page
        expect(page.get_by_role("navigation", name="Views").get_by_role("link")).to_have_text(
            ["Classify", "Quality", "Words", "About"]
        )
        rob.write("a lovely warm plot")
        expect(page.locator(".word").first).to_be_visible()
        rob.press("Escape", "1", "Enter", "u")
        expect(page.get_by_role("button", name="Another label …")).to_have_count(0)
        for view in "qwa":
            rob.open(view)
            wait_for_quiet(page)
        expect(page.get_by_role("link", name="Export the model")).to_have_count(0)


def test_a_session_that_has_ended_asks_again_and_keeps_what_was_typed(browser: Browser, site: Site) -> None:
    site.accounts.add_user("cem", "teacher", PASSWORD)
    visitor = Visitor(browser, site, "cem")
    page, text = visitor.page, visitor.page.get_by_role("textbox", name="Text", exact=True)
    expect(page.locator(".answer")).to_be_visible()
    for name, words in (("cem", "a lovely plot"), ("ann", "")):  # nobody else sees it
        visitor.context.clear_cookies()
        page.get_by_role("textbox", name="Text", exact=True).fill("a lovely plot")
        visitor.see("Your session has ended: log in again.")
        visitor.press("g", "h", "u")  # are letters in the field of the name
        expect(page.get_by_label("Name")).to_have_value("ghu")
        if name == "ann":
            page.goto(site.make_link(name))
        else:
            visitor.press("ControlOrMeta+a")
            visitor.write(name)
            visitor.press("Tab")
            visitor.write(PASSWORD)
            visitor.press("Enter")
        expect(text).to_have_value(words)
    expect(page.locator(".menu summary")).to_have_text("ann")
    visitor.close()


def test_a_server_that_does_not_answer_is_named(browser: Browser, site: Site) -> None:
    visitor = Visitor(browser, site, "ben")
    visitor.page.route("**/api/models/**", lambda route: route.abort())
    visitor.write("a lovely plot")
    visitor.see("The server does not answer. Is it still running? Nothing was changed.")
    expect(visitor.page.locator(".answer-title")).to_have_text("No answer")
    visitor.page.unroute("**/api/models/**")
    visitor.write(" again")
    expect(visitor.page.locator(".answer-title")).to_contain_text("pos")
    visitor.close()


# Keys, and what screen readers get.


def test_keys_are_listed_and_can_be_switched_off(ann: Visitor) -> None:
    page = ann.page
    ann.press("Escape", "?")
    dialog = page.get_by_role("dialog", name="Keys")
    expect(dialog).to_contain_text("Undo your last step")
    expect(dialog.get_by_role("button", name="Close")).to_be_focused()
    ann.press("Shift+Tab", "Space", "Escape")
    expect(dialog).to_have_count(0)
    ann.press("g", "h")
    expect(page.get_by_role("heading", level=1, name="Classify")).to_have_count(1)  # nothing happens
    ann.tab_to(page.get_by_role("link", name="History"))
    ann.press("Enter")
    expect(page.get_by_role("heading", level=1, name="History")).to_be_focused()
    ann.tab_to(page.get_by_role("link", name="Skip to the content"))
    ann.press("Enter")
    expect(page.locator("main")).to_be_focused()
    expect(page.get_by_role("heading", level=1, name="History")).to_have_count(1)


def test_screen_readers_get_names_roles_and_news(ann: Visitor) -> None:
    page = ann.page
    classify(ann, "a lovely warm plot")
    expect(page.locator("body")).to_match_aria_snapshot("""
      - link "Skip to the content"
      - banner:
        - link "tercet, first view"
        - navigation "Views":
          - link "Classify"
          - link "Label"
          - link "History"
      - main:
        - heading "Classify" [level=1]
        - textbox "Text"
        - region "Answer of reviews":
          - heading /pos \\d/ [level=2]
          - list:
            - listitem:
              - button /neg \\d/
            - listitem:
              - button /pos proposed \\d/
        - region "Evidence":
          - group /The text, coloured/:
            - paragraph:
              - button /lovely, \\+/
    """)
    ann.press("1")
    expect(page.get_by_role("status").filter(has_text="Corrected")).to_be_visible()  # the announcement
    ann.open("h")
    # The filter is closed: whoever listens to the page is at the events after a word, and opens it by "/" or by its name.
    expect(page.locator("main")).to_match_aria_snapshot("""
      - main:
        - heading "History" [level=1]
        - group: Filter
        - feed "Events, the newest first":
          - article /10.* ann learned neg a lovely warm plot/:
            - button "Event 10, details"
    """)
    ann.press("/")
    expect(page.locator("main")).to_match_aria_snapshot("""
      - main:
        - group:
          - textbox "Who"
          - combobox "What"
          - combobox "Label"
          - textbox "About whom"
    """)
    ann.write("nobody")
    ann.press("Enter")
    ann.see("No event fits")
    expect(page.locator("main summary")).to_have_text("Filter: 1 field set")  # also if it is closed again
    ann.open("l")
    expect(page.locator("main")).to_match_aria_snapshot("""
      - main:
        - heading "Label" [level=1]
        - region "Text to label"
    """)
    ann.open("q")
    expect(page.locator("main")).to_match_aria_snapshot("""
      - main:
        - heading "Quality" [level=1]
        - heading "Look at again" [level=2]
    """)
    ann.open("w")
    expect(page.locator("main")).to_match_aria_snapshot("""
      - main:
        - heading "Words" [level=1]
        - search:
          - searchbox "Search a word"
          - button "Search"
        - heading "neg" [level=2]
    """)
    ann.open("a")
    expect(page.locator("main")).to_match_aria_snapshot("""
      - main:
        - heading "About" [level=1]
        - heading "reviews" [level=2]
        - heading "Tokens for programs" [level=2]
        - heading "Certificates of erasures" [level=2]
        - heading "Model card" [level=2]
    """)
