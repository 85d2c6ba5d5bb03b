"""An explanation as LaTeX: the text, and how each value is computed, or the values alone."""

from collections.abc import Sequence

from tercet.characters import show_line, show_text
from tercet.report.explanation.arithmetic import Step
from tercet.report.explanation.as_text import HEADING, EvidenceRow, Headline, show_value
from tercet.report.forms import escape_latex

# Letters of formulas in sentences, and the visible blank. pdflatex does not know them.
LETTERS = str.maketrans(
    {
        "ε": r"$\varepsilon$",
        "λ": r"$\lambda$",
        "μ": r"$\mu$",
        "δ": r"$\delta$",
        "Σ": r"$\Sigma$",
        "∞": r"$\infty$",
        "²": r"$^2$",
        "␣": r"\textvisiblespace{}",
    }
)
PAGE = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage[margin=2cm]{geometry}
\begin{document}
%s
\end{document}
"""


def write_fragment(
    headline: Headline, text: str, rows: Sequence[EvidenceRow], steps: Sequence[Step], notes: Sequence[str], note: str
) -> str:
    """The headline, the text, a table, and notes, for any document. No package is needed."""
    table = _write_steps(steps) if steps else _write_rows(headline, rows)
    small = [rf"{{\footnotesize\noindent {_write_sentence(line)}\par}}" for line in (*notes, note) if line]
    quote = ["\\begin{quote}", _write_sentence(text), "\\end{quote}"]
    return "\n\n".join([rf"\noindent {_write_sentence(str(headline))}", "\n".join(quote), table, r"\medskip", *small])


def write_page(fragment: str) -> str:
    """A complete document for pdflatex or, if the text has letters that pdflatex does not know, lualatex."""
    return PAGE % fragment


def _write_steps(steps: Sequence[Step]) -> str:
    # The rule keeps fractions apart. A long formula goes on in the next line.
    rows = [rf"{_write_name(step.name)} & \rule{{0pt}}{{4ex}}$\displaystyle {step.to_latex()}$ \\[1ex]" for step in steps]
    return _write_table(r"lp{0.75\linewidth}", ("term", HEADING), rows)


def _write_rows(headline: Headline, rows: Sequence[EvidenceRow]) -> str:
    indents = [r"\quad " if row.is_part else "" for row in rows]
    lines = [
        rf"{indent}{_write_name(row.term)} & ${show_value(row.value)}$ \\" for indent, row in zip(indents, rows, strict=True)
    ]
    return _write_table(
        "lr", ("term", "value"), [*lines, r"\hline", rf"{headline.sum_name} & ${show_value(headline.score)}$ \\"]
    )


def _write_table(columns: str, header: tuple[str, str], rows: Sequence[str]) -> str:
    head = " & ".join(header) + r" \\"
    return "\n".join(
        [rf"\noindent\begin{{tabular}}{{{columns}}}", r"\hline", head, r"\hline", *rows, r"\hline", r"\end{tabular}"]
    )


def _write_name(name: str) -> str:
    # LaTeX would read a row that begins with [ or * as an option of the line break before it.
    return "{}" + _write_sentence(show_line(name))


def _write_sentence(text: str) -> str:
    return escape_latex(show_text(text)).translate(LETTERS)
