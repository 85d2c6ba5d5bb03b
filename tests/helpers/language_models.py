"""Tiny models of languages, built from invented texts. No network and no other package is needed."""

import random
from functools import cache
from pathlib import Path

from tercet.languages.building import build_models
from tercet.languages.installing import name_model_file
from tercet.languages.model import LanguageModel
from tercet.languages.sources import Sources
from tercet.languages.text_sources import Texts, TextSource

# Letters of words, and endings. Labels that the common models have, and two that only the wide one has.
LANGUAGES = {
    "mlt_Latn": ("aeioucdlmnprst", ("ción", "os", "ade", "iña")),
    "uzb_Latn": ("aoiuqxlmnyrsz", ("lar", "ning", "moq", "ʻz")),
    "ltz_Latn": ("aeiuëäbdfghklmnrst", ("en", "ung", "ëscht", "er")),
    "srp_Latn": ("aeioubčdšjkmnrst", ("ima", "ost", "ački", "ju")),
    "kir_Cyrl": ("аэиоукмнрстлүө", ("лар", "нын", "дөр")),
    "tgk_Cyrl": ("аиоукмнрстлӣҷ", ("ҳо", "анд", "ӣ")),
    "zho_Hans": ("这那国学说话书写时间车马东西", ("的", "了")),
    "mal_Mlym": ("കഖഗചജടതനപമയരലവസ", ("ിൽ", "ും")),
    "haw_Latn": ("aeioukhlmnpw", ("ʻa", "ana", "ō")),
    "chv_Cyrl": ("аеиукмнрстлӑӗ", ("сем", "ӗн")),
}
COMMON_LABELS = [label for label in LANGUAGES if label not in ("haw_Latn", "chv_Cyrl")]
NAMES = {"mt": "Maltese", "uz": "Uzbek", "lb": "Luxembourgish", "sr": "Serbian", "ky": "Kyrgyz", "tg": "Tajik"}


def invent_texts(label: str, n: int, seed: int = 0) -> list[str]:
    """Sentences of words that look alike."""
    letters, endings = LANGUAGES[label]
    draw = random.Random(f"{label} {seed}")
    words = [
        "".join(draw.choices(letters, k=draw.randint(1, 5))) + draw.choice(endings) for _ in range(60)
    ]  # a small vocabulary, so that n-grams are repeated
    return [" ".join(draw.choices(words, k=draw.randint(4, 9))) + "." for _ in range(n)]


def make_sources() -> Sources:
    texts = [Texts(label, invent_texts(label, 80)) for label in LANGUAGES]
    return Sources([TextSource("invented", "1", "CC0-1.0", texts)], None, NAMES)


@cache
def build_tiny_models() -> dict[str, LanguageModel]:
    return build_models(make_sources())


def write_tiny_models(folder: Path) -> Path:
    """The models in files, as `tercet languages --build` writes them."""
    folder.mkdir(exist_ok=True)
    for name, model in build_tiny_models().items():
        model.save(name_model_file(name, folder))
    return folder
