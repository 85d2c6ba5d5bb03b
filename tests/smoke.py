"""A wheel, just installed: does it count with the native kernel, and does its command run?  python tests/smoke.py"""

import subprocess
import sys
import tempfile
from pathlib import Path

import tercet
from tercet.kernel import is_native


def main() -> None:
    """Count, train and predict; an AssertionError says what went wrong."""
    counter = tercet.TermCounter(tercet.Analyzer(word_ngrams=(1, 2)))
    matrix = counter.fit_transform(["Midway upon the journey of our life", "the life of our days"])
    assert is_native, "the wheel has no native kernel"
    assert matrix.shape == (2, 17), matrix.shape
    assert counter.transform(["our life, our days"]).sum() == 6

    with tempfile.TemporaryDirectory() as folder:
        command, model = str(Path(sys.executable).with_name("tercet")), str(Path(folder, "model.tercet"))
        Path(folder, "data.csv").write_text("text,label\nlife,good\nour life,good\nno days,bad\ndays,bad\n")
        subprocess.run([command, "train", str(Path(folder, "data.csv")), "-o", model, "--quiet"], check=True)
        answer = subprocess.run([command, "predict", model, "a life"], check=True, capture_output=True, text=True).stdout
        assert answer.startswith("good\t"), answer
    print(f"tercet {tercet.__version__} counts: {matrix.shape[1]} terms, trains and predicts; 1 passed")


if __name__ == "__main__":
    main()
