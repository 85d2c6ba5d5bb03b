r"""Emoticons: :-) and its kin, by a small grammar.

Western faces lie on the side, eyes first: an optional brow, eyes, an optional nose, a mouth. `=` takes fewer mouths, or =>
and ={ would be faces; the eye 8 needs a nose or a D, or every eighth point of a list, 8), would be one; and crossed eyes need
the like, because of f(x). A mirrored face has no mouth that often stands before a colon by itself: only brackets and D.
Some mouths may be drawn out: :))) and XDDD. No emoticon touches a letter, a digit or `_`.
"""

import re

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
