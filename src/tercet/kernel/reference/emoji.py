"""Emoji: what people see as one picture is one emoji, however many characters it is made of."""

import re

# Pictures by themselves.
PICTURES = (
    "\u231a\u231b\u23e9-\u23f3\u23f8-\u23fa\u25fd\u25fe\u2600-\u26ff\u2701-\u275a\u2761-\u2767\u2795-\u2797\u27b0\u27bf"
    "\u2b1b\u2b1c\u2b50\u2b55\U0001f004\U0001f0cf\U0001f170\U0001f171\U0001f17e\U0001f17f\U0001f18e\U0001f191-\U0001f19a"
    "\U0001f201\U0001f202\U0001f21a\U0001f22f\U0001f232-\U0001f23a\U0001f250\U0001f251\U0001f300-\U0001f64f"
    "\U0001f680-\U0001f6ff\U0001f7e0-\U0001f7f0\U0001f900-\U0001f9ff\U0001fa70-\U0001faff"
)
# Text unless variation selector 16 asks for a picture: © ‼ ™ ℹ, arrows, technical signs, Ⓜ, shapes, 〰 〽 ㊗ ㊙.
SIGNS = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u24c2\u25a0-\u25ff\u2700-\u27bf\u2900-\u297f"
    "\u2b00-\u2bff\u3030\u303d\u3297\u3299"
)
KEYCAP = "[0-9#*]\ufe0f?\u20e3"
FLAG = "[\U0001f1e6-\U0001f1ff]{2}"
# A picture in a tone of skin; and England's flag is a black one with tags behind it. Selector 15 asks for text.
PICTURE = f"(?:[{PICTURES}](?!\ufe0e)|[{SIGNS}](?=\ufe0f))\ufe0f?[\U0001f3fb-\U0001f3ff]?[\U000e0020-\U000e007f]*"
ELEMENT = f"(?:{KEYCAP}|{FLAG}|{PICTURE})"

EMOJI = re.compile(f"{ELEMENT}(?:\u200d{ELEMENT})*")
