"""The few shapes that the pictures are made of. All take the page's own colour of letters, so they suit dark and light."""

from html import escape

from tercet.report.characters import show_line

BLUE, ORANGE, GREY = "rgb(0,114,178)", "rgb(230,140,0)", "rgb(128,128,128)"


def write_picture(width: float, height: float, title: str, shapes: list[str]) -> str:
    """A picture with a heading above it."""
    name = escape(title)
    return (
        f'<figure style="margin:0;max-width:100%"><figcaption style="font-weight:bold">{name}</figcaption>'
        f'<svg role="img" aria-label="{name}" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'style="max-width:100%;height:auto" font-size="11" font-family="sans-serif" fill="currentColor">'
        + "".join(shapes)
        + "</svg></figure>"
    )


def draw_text(x: float, y: float, text: object, *, anchor: str = "start", turned: bool = False, width: int = 16) -> str:
    """
    >>> draw_text(1, 2, "<a>")
    '<text x="1" y="2" text-anchor="start">&lt;a&gt;</text>'
    """
    turn = f' transform="rotate(-60 {x:g} {y:g})"' if turned else ""
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}"{turn}>{escape(show_line(text, width))}</text>'


def draw_box(x: float, y: float, width: float, height: float, color: str, opacity: float, title: str = "") -> str:
    told = f"<title>{escape(title)}</title>" if title else ""
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width:.4g}" height="{height:.4g}" fill="{color}" '
        f'fill-opacity="{opacity:.3g}">{told}</rect>'
    )


def draw_line(x1: float, y1: float, x2: float, y2: float, *, color: str = "currentColor", dashed: bool = False) -> str:
    dash = ' stroke-dasharray="4 3"' if dashed else ""
    return f'<line x1="{x1:.5g}" y1="{y1:.5g}" x2="{x2:.5g}" y2="{y2:.5g}" stroke="{color}"{dash}/>'


def draw_dot(x: float, y: float, radius: float, color: str, title: str = "") -> str:
    told = f"<title>{escape(title)}</title>" if title else ""
    return f'<circle cx="{x:.5g}" cy="{y:.5g}" r="{radius:.3g}" fill="{color}" fill-opacity=".8">{told}</circle>'
