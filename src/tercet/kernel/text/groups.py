r"""Strings that are written in many ways and mean the same kind of thing: emoticons, emoji, hashtags, numbers, URLs, users.

All strings of one kind are replaced by one placeholder, or deleted.

The grammar of emoticons: a Western face lies on its side, eyes first: an optional brow, eyes, an optional nose, a mouth.

- The eyes `=` take fewer mouths, or `=>` and `={` would be faces.
- The eyes `8` need a nose or a `D`, or the eighth point of a list, `8)`, would be a face.
- Crossed eyes (`x`) need a nose or a `D`, because of `f(x)`.
- A mirrored face has only brackets and `D` as a mouth, because other mouths often stand before a colon.
- Some mouths may be repeated: `:)))` and `XDDD`.
- No emoticon touches a letter, a digit or `_`.

An emoji is what people see as one picture, however many characters it is made of.
"""

import re
from collections.abc import Iterator

from tercet.kernel.text.normalize import Character, rewrite_matches

NOSE = "[-o*'^]"
LONG = r"\)++|\(++|D++|d++"
WESTERN = rf"[>}}]?(?:[:;]{NOSE}?(?:{LONG}|[\]\[Pp/\\|Oo3}}{{@*><])|={NOSE}?(?:{LONG}|[\]\[Pp/\\|Oo3]))"
EIGHT = r"8(?:D++|[-^](?:\)++|D++|[Pp]))"
CROSS = r"[xX](?:D++|d++|-(?:\)++|\(++|D++|[Pp]))"
MIRRORED = rf"[(\[{{]{NOSE}?[:;=]|[)\]}}D]{NOSE}?[:=]"
HEART = r"</?3++"
EASTERN = "|".join(
    [
        r"\^(?:_++|[.-])?\^",
        r"-(?:_++|\.)-",
        r"[oO](?:_++|\.)[oO]",
        r">(?:_++|\.)<",
        r"T(?:_++|\.)T",
        r"(?P<eye>[xXuUnQ*=@;+$~.])_++(?P=eye)",
        r"\\[oO]/",
    ]
)

EMOTICON = re.compile(rf"(?<!\w)(?:{WESTERN}|{EIGHT}|{CROSS}|{MIRRORED}|{HEART}|{EASTERN})(?!\w)")

# Characters that are pictures by default.
PICTURES = (
    "\u231a\u231b\u23e9-\u23f3\u23f8-\u23fa\u25fd\u25fe\u2600-\u26ff\u2701-\u275a\u2761-\u2767\u2795-\u2797\u27b0\u27bf"
    "\u2b1b\u2b1c\u2b50\u2b55\U0001f004\U0001f0cf\U0001f170\U0001f171\U0001f17e\U0001f17f\U0001f18e\U0001f191-\U0001f19a"
    "\U0001f201\U0001f202\U0001f21a\U0001f22f\U0001f232-\U0001f23a\U0001f250\U0001f251\U0001f300-\U0001f64f"
    "\U0001f680-\U0001f6ff\U0001f7e0-\U0001f7f0\U0001f900-\U0001f9ff\U0001fa70-\U0001faff"
)
# Text by default; variation selector 16 makes them pictures: © ‼ ™ ℹ, arrows, technical signs, Ⓜ, shapes, 〰 〽 ㊗ ㊙.
SIGNS = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u24c2\u25a0-\u25ff\u2700-\u27bf\u2900-\u297f"
    "\u2b00-\u2bff\u3030\u303d\u3297\u3299"
)
KEYCAP = "[0-9#*]\ufe0f?\u20e3"
FLAG = "[\U0001f1e6-\U0001f1ff]{2}"
# A picture with an optional skin tone and optional tags: England's flag is a black flag with tags. Selector 15 makes it text.
PICTURE = f"(?:[{PICTURES}](?!\ufe0e)|[{SIGNS}](?=\ufe0f))\ufe0f?[\U0001f3fb-\U0001f3ff]?[\U000e0020-\U000e007f]*"
ELEMENT = f"(?:{KEYCAP}|{FLAG}|{PICTURE})"

EMOJI = re.compile(f"{ELEMENT}(?:\u200d{ELEMENT})*")

PATTERNS = {
    "emoticons": EMOTICON,
    "emoji": EMOJI,
    "hashtags": re.compile(r"#\S+"),
    "numbers": re.compile(r"\d\d*\.?\d*|\d*\.\d\d*"),
    "urls": re.compile(r"[Hh][Tt][Tt][Pp][Ss]?://\S+"),
    "users": re.compile(r"@\S+"),
}
# Emoticons and emoji often have no blank around them, so their placeholders do. The other placeholders are those of microTC.
PLACEHOLDERS = {
    "emoticons": " _emoticon ",
    "emoji": " _emoji ",
    "hashtags": "_htag",
    "numbers": "_num",
    "urls": "_url",
    "users": "_usr",
}


def replace_group(characters: list[Character], kind: str, treatment: str) -> Iterator[Character]:
    """The text with every match of this kind replaced (`group`) or removed (`delete`).

    >>> text = [Character(c, i, i + 1) for i, c in enumerate("no #42!")]
    >>> "".join(c.value for c in replace_group(text, "numbers", "group"))
    'no #_num!'
    """
    if treatment == "keep":
        return iter(characters)
    placeholder = PLACEHOLDERS[kind]
    written = placeholder if treatment == "group" else placeholder[:1].strip("_")
    return rewrite_matches(characters, PATTERNS[kind], lambda match: written)
