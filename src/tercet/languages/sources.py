"""The sources of the models of languages: texts of packages that are installed, and published counts."""

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from tercet.errors import MissingExtra, SourceNotFound
from tercet.extras import import_extra
from tercet.languages import lingua_counts
from tercet.languages.codes import make_label, shorten_label
from tercet.languages.lingua_counts import PublishedCounts, detect_letters_system, fetch_wheel
from tercet.languages.ngram_counts import Alphabet, NgramCounts, choose_alphabet, count_words, drop_boundary, split_words
from tercet.languages.text_sources import TextSource, read_text_sources
from tercet.languages.transliteration import respell, simplify_counts
from tercet.languages.writing_systems import SCRIPTS

# The languages of the common models: those of lingua, and others that are written much. Not Cebuano, Galician and Javanese:
# there are a few pages of them, and too many of their sentences were taken for Tagalog, Spanish, Portuguese and Indonesian.
COMMON = frozenset(
    """
    afr_Latn aze_Latn bos_Latn cat_Latn ces_Latn cym_Latn dan_Latn deu_Latn eng_Latn epo_Latn est_Latn eus_Latn
    fin_Latn fra_Latn gla_Latn gle_Latn hau_Latn hrv_Latn hun_Latn ibo_Latn ind_Latn isl_Latn ita_Latn
    kur_Latn lat_Latn lav_Latn lit_Latn ltz_Latn lug_Latn mlt_Latn mri_Latn nld_Latn nno_Latn nob_Latn pol_Latn por_Latn
    ron_Latn slk_Latn slv_Latn sna_Latn som_Latn sot_Latn spa_Latn sqi_Latn srp_Latn swa_Latn swe_Latn tgl_Latn tsn_Latn
    tso_Latn tuk_Latn tur_Latn uzb_Latn vie_Latn xho_Latn yor_Latn zsm_Latn zul_Latn
    bel_Cyrl bul_Cyrl kaz_Cyrl kir_Cyrl mkd_Cyrl mon_Cyrl rus_Cyrl srp_Cyrl tat_Cyrl tgk_Cyrl ukr_Cyrl
    ara_Arab ckb_Arab fas_Arab pus_Arab snd_Arab uig_Arab urd_Arab hin_Deva mar_Deva nep_Deva amh_Ethi tir_Ethi
    asm_Beng ben_Beng heb_Hebr yid_Hebr zho_Hans zho_Hant jpn_Jpan kor_Kore ell_Grek hye_Armn kat_Geor guj_Gujr pan_Guru
    tam_Taml tel_Telu kan_Knda mal_Mlym ori_Orya sin_Sinh tha_Thai lao_Laoo khm_Khmr mya_Mymr bod_Tibt div_Thaa
    """.split()  # noqa: SIM905 (easier to read)
)

# lingua counts letters without vowel signs, so words of these writing systems are in pieces there.
IN_PIECES = frozenset({"DEVANAGARI", "BENGALI", "GUJARATI", "GURMUKHI", "TAMIL", "TELUGU", "THAI"})


class Sources:
    """The texts and counts of each label. Counts are made for one alphabet at a time, when they are needed."""

    def __init__(self, texts: Sequence[TextSource], published: PublishedCounts | None, names: dict[str, str]) -> None:
        self.names = names
        self.texts = texts
        self.published = published
        self._letters: dict[str, dict[int, int]] = {}  # letters of published languages
        self._codes: dict[str, str] = {}
        if published is not None:
            for code in published.list_codes():
                letters = published.count_letters(code)
                label = label_letters(code, letters)
                self._letters[label], self._codes[label] = letters, code
        self._words: dict[str, list[str]] = {}
        for source in texts:
            for label, found in source.labels:
                self._words.setdefault(label, []).extend(word for text in found for word in split_words(text))

    def list_labels(self, fewest_letters: int) -> list[str]:
        """The labels that are published, or whose texts have at least so many letters."""
        labels = sorted({*self._words, *self._codes})
        return [label for label in labels if sum(self.count_letters(label).values()) >= fewest_letters]

    def is_counted(self, label: str) -> bool:
        """Whether its counts are of very many texts: published ones, or made of them."""
        is_whole = label in self._codes and self.detect_system(label) not in IN_PIECES
        return is_whole or (label == "srp_Latn" and "srp_Cyrl" in self._codes)

    def detect_system(self, label: str) -> str:
        return detect_letters_system(self.count_letters(label))

    def count_letters(self, label: str) -> dict[int, int]:
        if label not in self._letters:
            self._letters[label] = dict(sorted(Counter(map(ord, "".join(self._words[label]))).items()))
        return self._letters[label]

    def share_letters(self, label: str) -> dict[int, float]:
        counts = self.count_letters(label)
        total = sum(counts.values())
        return {code: count / total for code, count in counts.items()}

    def count(self, label: str, alphabet: Alphabet) -> NgramCounts:
        """The counts of a label: published ones if there are any, or else those of its texts."""
        if label == "srp_Latn" and "srp_Cyrl" in self._codes:
            cyrillic = choose_alphabet("CYRILLIC", [self.share_letters("srp_Cyrl")], alphabet.order)
            return respell(self.count("srp_Cyrl", cyrillic), cyrillic, alphabet)
        if label == "zho_Hans" and "zho_Hant" in self._codes:
            texts = self._count_texts(label, alphabet)[1]
            return {1: simplify_counts(self.count("zho_Hant", alphabet)[1], texts, alphabet)}
        if label in self._codes and alphabet.system not in IN_PIECES:
            assert self.published is not None
            counts = self.published.count(self._codes[label], alphabet)
            return counts if alphabet.order > 1 else {1: drop_boundary(counts[1])}
        return self._count_texts(label, alphabet)

    def _count_texts(self, label: str, alphabet: Alphabet) -> NgramCounts:
        return count_words(self._words.get(label, ()), alphabet)

    def describe(self) -> tuple[dict[str, Any], ...]:
        """Each source with its version and licence, and how many labels and characters it has."""
        told = [
            {
                "name": source.name,
                "version": source.version,
                "licence": source.licence,
                "labels": len(source.labels),
                "characters": sum(len(text) for each in source.labels for text in each.texts),
            }
            for source in self.texts
        ]
        if self._codes:
            letters = sum(sum(self._letters[label].values()) for label in self._codes)
            told.append(
                {
                    "name": lingua_counts.NAME,
                    "version": lingua_counts.VERSION,
                    "licence": lingua_counts.LICENCE,
                    "labels": len(self._codes),
                    "characters": letters,
                }
            )
        return tuple(told)


def label_letters(code: str, letters: dict[int, int]) -> str:
    """The label of a language with these letters. The Chinese of lingua is in traditional characters."""
    script = {"ja": "Jpan", "zh": "Hant"}.get(code) or SCRIPTS[detect_letters_system(letters)]
    return make_label(code, script)


def read_sources(folder: Path, say: Callable[[str], None]) -> Sources:
    """All sources that can be found. Says which are missing. The wheel of lingua is kept in the folder."""
    texts, missing = read_text_sources()
    published = None
    try:
        published = PublishedCounts(fetch_wheel(folder))
    except (SourceNotFound, MissingExtra) as error:
        missing.append(str(error))
    for message in missing:
        say(f"missing: {message}")
    if published is None:
        say("without the counts of lingua the models are much less accurate: when you have a network, build them again")
    return Sources(texts, published, read_names())


def read_names() -> dict[str, str]:
    """English names of languages by code, from the packages that are installed. Those of CLDR are preferred."""
    names: dict[str, str] = {}
    with suppress(MissingExtra):
        for _, language in sorted(import_package("gflanguages", "gflanguages").LoadLanguages().items()):
            names.setdefault(shorten_label(make_label(language.language, language.script)), language.name)
    with suppress(MissingExtra):
        names |= import_package("babel.localedata", "Babel").load("en")["languages"]
    return names


def import_package(module: str, package: str) -> Any:
    return import_extra(module, package=package, extra="languages", purpose="names of languages are read from")
