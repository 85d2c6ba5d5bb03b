"""What the name and the cells of a column say: a text, a label, numbers, dates or names."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

from tercet.data.raw_rows import spell_label
from tercet.errors import is_missing

CERTAIN = 5.0  # score of a name that nothing else has
UNKNOWN = 1.0  # score of a name that says nothing
FEATURE = 0.5  # score of a name that is usual for another property of a document: it could be a label, but rarely is
NEVER = -1.0  # score of a name that is usual for an id, a date, a person or an amount
PART = 0.5  # less for a name that only contains a usual one
NUMBERED = 1.0  # less for "label_id"

# Names in small letters without accents, in the languages of most exports, from usual to less usual.
TEXTS: dict[float, str] = {
    5: """text texts txt texto texte testo tekst fulltext full_text volltext freitext текст 文本 テキスト""",
    4: """body message messages msg review reviews review_text reviewtext review_body content contents comment comments
        comment_text tweet document documents description utterance sentence post article abstract question query sms narrative
        complaint feedback transcript transcription conversation passage paragraph email_body lyrics statement statements
        frage fragen pregunta pergunta domanda vraag reklamation reclamo reclamacao klacht zgloszenia sikayet
        nachricht nachrichten beschreibung inhalt kommentar kommentare anfrage fehlerbeschreibung nachrichtentext rezension
        mensaje mensajes descripcion comentario comentarios resena opinion cuerpo contenido consulta
        mensagem descricao conteudo corpo avaliacao messaggio descrizione recensione commento contenuto
        commentaire commentaires avis contenu corps bericht omschrijving inhoud toelichting tresc wiadomosc opis
        meddelande beskrivning besked beskrivelse zprava popis mesaj aciklama
        сообщение описание отзыв 内容 正文 评论 本文 レビュー 내용""",
    3: """email mail emails story note notes remark remarks inquiry desc caption enquiry details anmerkung bemerkung sachverhalt
        schilderung""",
    1.8: """subject subject_line title headline summary short_description betreff titel uberschrift kurzbeschreibung schlagzeile
        zusammenfassung asunto titulo resumen assunto resumo sujet objet titre resume oggetto titolo riassunto onderwerp temat
        amne emne predmet konu тема заголовок 标题 件名 제목""",
    0.9: """answer answers reply replies response responses resolution solution antwort losung respuesta solucion resposta
        reponse risposta soluzione antwoord agent_reply""",
}
LABELS: dict[float, str] = {
    5.5: """label labels labeled labelled gold ground_truth y annotation
        etikett etiquette etiqueta etiquetas etichetta rotulo etiket метка 标签 ラベル 레이블""",
    5: """class classes klass target truth klasse klassen clase clases classe класс""",
    4.5: """sentiment sentiments sentimiento sentimento polarity polaritat polaridad intent intents intention absicht intencion
        intencao emotion emotions is_spam spam is_toxic toxic stance stimmung tonalitat airline_sentiment""",
    4: """category categories categorie kategorie kategorien categoria categorias kategoria kategori kategorija queue queues
        warteschlange topic topics thema themen tema rubrik rubrica cola fila classification klassifikation klassifizierung
        clasificacion classificacao classificazione категория 类别 分类 カテゴリ 카테고리""",
    3.5: """stars star_rating sterne estrellas etoiles stelle rating ratings bewertung calificacion overall score""",
    3: """tag tags group groups gruppe grupo groupe gruppo groep assigned_group assignment_group team teams equipo equipe
        department departments dept abteilung bereich departamento departement reparto afdeling genre genres section sections
        ressort rubro subcategory sub_category unterkategorie subcategoria theme themes reason grund motivo motif cause ursache
        issue_type request_type ticket_type problem_type disposition verdict outcome decision area anliegen component components
        module hate offensive anfrageart ticketart fehlerart problemart cat subcat flair""",
    1.7: """type types typ typen tipo tipos tipologia kind art soort domain domains""",
}
FEATURES = """
    priority prioritat prioridad priorite priorita prioriteit prioridade urgency dringlichkeit urgencia severity schweregrad
    severidad impact status state stage zustand estado etat stato stand country land pais pays paese region bundesland provincia
    city stadt ciudad ville citta ort location standort channel kanal canal canale source quelle fuente origin herkunft origen
    language lang sprache idioma langue lingua locale platform device gerat os browser version plan tier segment gender
    geschlecht sexo sla resolved closed escalated eskaliert verified verified_purchase csat satisfaction zufriedenheit product
    produkt producto produit prodotto brand marke marca store branch filiale currency wahrung split fold set partition dataset
    format mailer medium vip mode site prio statut situacao sucursal vestiging uf shift schicht importance context
    satisfaction_rating satisfaction_score csat_score customer_rating nps
    """
OWNERS = """
    agent agents assignee assigned_to assigned owner customer client user username author authors name names requester reporter
    sender from to cc bcc recipient contact kunde kunden kundin kundenname bearbeiter bearbeiterin sachbearbeiter mitarbeiter
    agente cliente nombre nom nome apellido vorname nachname autor utilisateur usuario utente responsable responsabile zustandig
    absender empfanger employee person speaker operator handler first_name last_name full_name surname klant medewerker naam
    imie nazwisko company firma empresa entreprise azienda organization organisation organisatie ansprechpartner
    count votes vote likes views age alter edad price preis precio prix amount betrag total length minutes seconds hours
    duration dauer size weight gewicht peso confidence probability percent quantity menge retweets favorites favourites helpful
    n num_words lat lon latitude longitude anzahl
    """  # people, companies and amounts: a customer group is theirs, not that of the text
OTHERS = """
    id ids uuid guid key index idx nr no number nummer num numero row zeile rowid ref reference referenz referencia ticket case
    order sku asin isbn hash unnamed vorgang fall bestellung pedido commande code codigo folio parent thread tweetid
    date datum time created updated timestamp opened due day month year week hour zeit uhrzeit erstellt geandert fecha hora
    heure jour ora modified at am creado erstelldatum eingang eingangsdatum tag_der_erstellung datetime zeitpunkt zeitstempel
    jahr monat weekday quarter wochentag quartal fecha_creacion data_criacao data_creazione received sent start
    end deadline closed_at
    phone telephone telefon telefono tel mobile handy address adresse direccion indirizzo url urls link links website ip
    postcode zip plz file filename path attachment attachments anhang
    """
NAMING = {"name", "names", "value", "str", "string", "title"}  # label_name is the label
NUMBERING = {"id", "ids", "nr", "no", "num", "number", "code", "key", "idx", "index"}  # label_id is its number
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+")
MAX_LENGTH = 60  # characters of a usual name
MIN_ENDING = 5  # letters; Ticketkategorie ends in a usual name
SHORT_ENDINGS = {"text", "name", "typ", "zeit", "nr"}
UMLAUTS = {"ae": "a", "oe": "o", "ue": "u"}  # as they are written without accents, and where there are none


def _read_scores(lists: Mapping[float, str]) -> dict[str, float]:
    """The score of each name. A name that is also usual for something else keeps the score of this list."""
    all_lists = [(NEVER, OWNERS + OTHERS), (FEATURE, FEATURES), *lists.items()]
    return {name: score for score, names in all_lists for name in names.split()}


TEXT_SCORES = _read_scores(TEXTS)
LABEL_SCORES = _read_scores(LABELS)
KNOWN = {*TEXT_SCORES, *LABEL_SCORES}
OWNING = {word for word in OWNERS.split() if len(word) >= MIN_ENDING} | {"age", "user"}
GROUPS = {4.0, 3.0, 1.7}  # the scores of names for groups: a "customer category" is no label, a "customer intent" is
BESIDE_TEXT = {word for score in (1.8, 0.9) for word in TEXTS[score].split()}  # "reply_text" is a reply


class NameScores(NamedTuple):
    """How much a name speaks for a text and for a label: from about 5 (nothing else has this name) to -1 (never)."""

    text: float
    label: float


@lru_cache(1 << 12)
def score_name(name: str) -> NameScores:
    """The scores of the name of a column.

    >>> [tuple(score_name(name)) for name in ("Body", "Ticket-Kategorie", "created_at", "col1")]
    [(4, 0.5), (0.5, 3.5), (-1.0, -1.0), (1.0, 1.0)]
    """
    words = split_name(name)
    whole = "_".join(words)
    if whole in KNOWN:
        return _look_up(whole, 0)
    less = PART
    if len(words) > 1 and words[-1] in NAMING | NUMBERING and LABEL_SCORES.get(words[-2], 0) >= 3:
        less = PART if words[-1] in NAMING else NUMBERED
        words = words[:-1]
    for index, word in reversed(list(enumerate(words))):
        if found := _find_known(word):
            return _qualify(found, [*words[:index], word.removesuffix(found)], _look_up(found, less))
    return NameScores(UNKNOWN, UNKNOWN)


def _qualify(name: str, before: list[str], scores: NameScores) -> NameScores:
    """The scores of a usual name, with what the words before it say.

    >>> [tuple(score_name(name)) for name in ("Age Group", "Altersgruppe", "reply_text", "Category Text")]
    [(0.5, 0.5), (0.5, 0.5), (0.9, 0.5), (0.5, 0.5)]
    """
    text, label = scores
    owner = next(filter(None, reversed(before)), "")
    if LABEL_SCORES.get(name) in GROUPS and any(owner.startswith(word) for word in OWNING):
        label = FEATURE
    if text > UNKNOWN:
        found = {_find_known(word) or "" for word in before}
        text = min([text, *(TEXT_SCORES[word] for word in found & BESIDE_TEXT)])
        text = FEATURE if any(LABEL_SCORES.get(word, 0) >= 4 for word in found) else text
    return NameScores(text, label)


def is_usual(name: str) -> bool:
    """Whether columns of tables often have this name.

    >>> is_usual("Erstellt am"), is_usual("so la mi")
    (True, False)
    """
    words = split_name(name) if len(name) < MAX_LENGTH else []
    return "_".join(words) in KNOWN or (1 < len(words) < 4 and all(word in KNOWN for word in words))


def split_name(name: str) -> list[str]:
    """The words of a name, in small letters without accents.

    >>> split_name("Catégorie du ticket"), split_name("createdAt"), split_name("LABEL_2")
    (['categorie', 'du', 'ticket'], ['created', 'at'], ['label', '2'])
    """
    plain = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    return [word.casefold() for word in WORD.findall(plain)]


def _find_known(word: str) -> str | None:
    """The usual name that a word is, or that it ends in.

    >>> _find_known("ticketkategorie"), _find_known("prioritaet"), _find_known("mi")
    ('kategorie', 'prioritat', None)
    """
    for spelled in (word, _drop_umlauts(word)):
        for start in range(len(spelled)):
            ending = spelled[start:]
            is_long = start == 0 or len(ending) >= MIN_ENDING
            if ending in KNOWN if is_long else ending in SHORT_ENDINGS:
                return ending
    return None


def _drop_umlauts(word: str) -> str:
    for pair, letter in UMLAUTS.items():
        word = word.replace(pair, letter)
    return word


def _look_up(name: str, less: float) -> NameScores:
    """The scores of a usual name. A name of a text is rare for a label, and the other way round."""
    text, label = TEXT_SCORES.get(name), LABEL_SCORES.get(name)
    found = (FEATURE if text is None else text, FEATURE if label is None else label)
    # "text" is the text also where there is a "text_2", but a "product_category" may be meant beside a "category".
    return NameScores(*(score - less * (2 if score >= CERTAIN else 1) if score > UNKNOWN else score for score in found))


NESTED = "nested"  # the form of lists and objects
MIN_SHARE_OF_FORM = 0.9  # the share of cells that must have a form
MIN_SHARE_OF_DIFFERENT = 0.3  # the share of different texts in a column of texts is larger
MIN_CELLS = 10  # with fewer cells, repeats say little
MAX_LABEL_WORDS = 8  # in a label, on average
MAX_DIFFERENT_LABELS = 50  # different values: more than most sets of labels have
MAX_EXAMPLE_LENGTH = 24  # characters
LONG_WORD = 12  # characters

MONTHS = r"jan|feb|m[aä]r|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz]|ene|abr|ago|set|out|fev|gen|mag|giu|lug|ott|dic"
DAYS = r"mon|tue|wed|thu|fri|sat|sun|mo|di|mi|do|fr|sa|so"
FORMS = {
    "date": re.compile(
        rf"(?:(?:{DAYS})[a-z]*\.?,? )?(?:\d{{1,4}}[-/.]\d{{1,2}}[-/.]\d{{1,4}}|\d{{1,2}}\.? (?:{MONTHS})[a-z]*\.?,? \d{{2,4}}"
        rf"|(?:{MONTHS})[a-z]*\.? \d{{1,2}},? \d{{4}}|\d{{4}}-\d{{2}})(?:[t ,].*)?|\d{{1,2}}:\d{{2}}(?::\d{{2}}.*)?",
        re.IGNORECASE,
    ),
    "number": re.compile(r"[-+]?[$€£]?\d+(?:[.,]\d+)*(?:[eE][-+]?\d+)?\s?[%$€£]?"),
    "address": re.compile(r"\S+@\S+\.\w+|.{0,80}<\S+@\S+>|\w+://\S+|www\.\S+|\+?[\d ()/.-]{7,}"),
    "code": re.compile(r"(?=\S*\d)(?=\S*[^\W\d]|\S*-)[\w.:#/-]{1,40}|[0-9a-fA-F]{12,}"),
    "person": re.compile(r"[^\W\d_a-z][\w'’-]+,? (?:[^\W\d_a-z]\.? )?[^\W\d_a-z][\w'’-]+"),
}
LETTERS = re.compile(r"[^\W\d_]")
WHOLE = re.compile(r"[-+]?\d+(?:\.0+)?")


@dataclass(frozen=True)
class ColumnSigns:
    """The signs of a column, from a sample of its cells."""

    n: int  # cells that are not blank
    missing: float  # the share of blank cells
    n_different: int  # different values
    words: float  # words in a cell, on average over all cells
    form: str | None  # "date", "number", "fraction", "address", "code", "person", "nested"; None for other cells
    examples: tuple[str, ...]  # the first two different values

    @classmethod
    def of(cls, cells: Sequence[Any]) -> "ColumnSigns":
        """
        >>> signs = ColumnSigns.of(["spam", "ham", "spam", ""])
        >>> signs.n, signs.missing, signs.n_different, signs.form, signs.examples
        (3, 0.25, 2, None, ('spam', 'ham'))
        >>> ColumnSigns.of(["2024-05-01", "2024-05-01"]).form, ColumnSigns.of(["T-19", "T-20"]).form
        ('date', 'code')
        """
        if sum(isinstance(cell, list | dict) for cell in cells) > len(cells) / 2:
            return cls(len(cells), 0.0, len(cells), 0.0, NESTED, ())
        spelled = [spell_cell(cell) for cell in cells]
        values = [value for value in spelled if value]
        different = Counter(values)
        n_words = sum(count_words(value) for value in values)
        return cls(
            n=len(values),
            missing=1 - len(values) / len(cells) if cells else 0.0,
            n_different=len(different),
            words=n_words / max(len(cells), 1),
            form=detect_form(different),
            examples=tuple(shorten_example(value) for value in islice(different, 2)),
        )

    @property
    def repeats(self) -> bool:
        """Whether the cells repeat a few values, as labels do. True if there are too few cells to tell."""
        if self.n < MIN_CELLS:
            return self.n < 4 or self.n_different <= self.n / 2
        return self.n_different <= self.n / 2 if self.n < 4 * MIN_CELLS else self.n_different <= max(2 * MIN_CELLS, self.n / 6)

    @property
    def is_unique(self) -> bool:
        """Whether nearly every cell has its own value, so that it is not a label."""
        return self.n >= 2 * MIN_CELLS and self.n_different > MIN_SHARE_OF_FORM * self.n

    @property
    def is_constant(self) -> bool:
        return self.n >= 4 and self.n_different == 1

    @property
    def varies(self) -> bool:
        """Whether the cells differ as texts do. True if there are too few cells to tell."""
        return self.n < MIN_CELLS or self.n_different > MIN_SHARE_OF_DIFFERENT * self.n

    @property
    def could_be_text(self) -> bool:
        """Whether the cells could be texts, if the name says so: strings with letters."""
        return self.form in (None, "person") and self.missing < 1

    @property
    def looks_like_text(self) -> bool:
        """Whether the cells look like texts without the help of a name."""
        return self.could_be_text and self.form is None and self.varies

    @property
    def could_be_label(self) -> bool:
        """Whether the cells could be labels, if the name says so."""
        is_odd = self.form in ("date", "address", NESTED) or (self.form == "fraction" and self.n_different > 2 * MIN_CELLS)
        return self.missing < 1 and not is_odd and self.words <= MAX_LABEL_WORDS and not self.is_unique

    @property
    def looks_like_label(self) -> bool:
        """Whether the cells look like labels without the help of a name."""
        is_odd = self.form == "person" or (
            self.form in ("code", "number", "fraction") and self.n_different > MAX_DIFFERENT_LABELS
        )
        return self.could_be_label and self.repeats and not is_odd


def spell_cell(cell: Any) -> str:
    """The cell as a string without blanks around it; empty if it is missing."""
    return "" if is_missing(cell) else spell_label(cell).strip()


def shorten_example(value: str) -> str:
    """The beginning of a value, for a message.

    >>> shorten_example("spam"), shorten_example("My parcel\\nis not here"), shorten_example("so la mi do " * 9)
    ('spam', 'My parcel …', 'so la mi do so la mi do…')
    """
    line, _, more = value.partition("\n")
    return f"{line[: MAX_EXAMPLE_LENGTH - 1]}…" if len(line) > MAX_EXAMPLE_LENGTH else line + " …" * bool(more)


def count_words(value: str) -> float:
    """The number of words. Some scripts have no blanks between words, so a long text has several words in any case."""
    return max(len(value.split()), len(value) / LONG_WORD)


def detect_form(different: "Counter[str]") -> str | None:
    """The form that most of the cells have. Each value is looked at once."""
    n = sum(different.values())
    for form, pattern in FORMS.items():
        if n and _count(different, pattern) >= MIN_SHARE_OF_FORM * n:
            is_fraction = form == "number" and _count(different, WHOLE) < MIN_SHARE_OF_FORM * n
            return "fraction" if is_fraction else form
    return None if not n or _count(different, LETTERS, search=True) else "code"


def _count(different: "Counter[str]", pattern: "re.Pattern[str]", *, search: bool = False) -> int:
    found = pattern.search if search else pattern.fullmatch
    return sum(n for value, n in different.items() if found(value[:200]))


def is_numeral(cell: str) -> bool:
    """Whether the cell is a number, or blank."""
    try:
        float(cell)
    except ValueError:
        return not cell.strip()
    return True


def mean_length(cells: Iterable[Any]) -> float:
    """Characters in a cell, on average, without missing cells."""
    texts = [cell for cell in cells if not is_missing(cell)]
    return sum(len(str(cell)) for cell in texts) / max(len(texts), 1)
