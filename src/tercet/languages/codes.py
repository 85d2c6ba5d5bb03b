"""Codes of languages: ISO 639-1 and 639-3, labels such as `deu_Latn`, aliases, and groups of close languages."""

# ISO 639-1 to 639-3. Standard Malay has the code of its own language, because `msa` is the group.
_PAIRS = """
aa aar ab abk ae ave af afr ak aka am amh an arg ar ara as asm av ava ay aym az aze ba bak be bel bg bul bi bis bm bam bn ben
bo bod br bre bs bos ca cat ce che ch cha co cos cr cre cs ces cu chu cv chv cy cym da dan de deu dv div dz dzo ee ewe el ell
en eng eo epo es spa et est eu eus fa fas ff ful fi fin fj fij fo fao fr fra fy fry ga gle gd gla gl glg gn grn gu guj gv glv
ha hau he heb hi hin ho hmo hr hrv ht hat hu hun hy hye hz her ia ina id ind ie ile ig ibo ii iii ik ipk io ido is isl it ita
iu iku ja jpn jv jav ka kat kg kon ki kik kj kua kk kaz kl kal km khm kn kan ko kor kr kau ks kas ku kur kv kom kw cor ky kir
la lat lb ltz lg lug li lim ln lin lo lao lt lit lu lub lv lav mg mlg mh mah mi mri mk mkd ml mal mn mon mr mar ms zsm mt mlt
my mya na nau nb nob nd nde ne nep ng ndo nl nld nn nno nr nbl nv nav ny nya oc oci oj oji om orm or ori os oss pa pan pi pli
pl pol ps pus pt por qu que rm roh rn run ro ron ru rus rw kin sa san sc srd sd snd se sme sg sag si sin sk slk sl slv sm smo
sn sna so som sq sqi sr srp ss ssw st sot su sun sv swe sw swa ta tam te tel tg tgk th tha ti tir tk tuk tl tgl tn tsn to ton
tr tur ts tso tt tat tw twi ty tah ug uig uk ukr ur urd uz uzb ve ven vi vie vo vol wa wln wo wol xh xho yi yid yo yor za zha
zh zho zu zul
""".split()  # noqa: SIM905 (easier to read)

LONG = dict(zip(_PAIRS[::2], _PAIRS[1::2], strict=True))
SHORT = {long: short for short, long in LONG.items()}

# One language under two codes, or the main variety of a language that has a code of its own.
ALIASES = {
    "no": "nb", "fil": "tl", "arb": "ar", "cmn": "zh", "pes": "fa", "azj": "az", "lvs": "lv", "ekk": "et", "swh": "sw",
    "khk": "mn", "uzn": "uz", "zlm": "ms", "zsm": "ms", "plt": "mg", "als": "sq", "npi": "ne", "ory": "or", "ydd": "yi",
    "kmr": "ku", "gaz": "om", "iw": "he", "in": "id", "ji": "yi", "jw": "jv", "mo": "ro", "tw": "ak",
}  # fmt: skip

# Languages that are so close that a short text may be either: the label of the group, its name, and its members. Chinese is one
# language, but many characters are in both of its scripts.
GROUPS = {
    "hbs": ("Bosnian, Croatian, Montenegrin or Serbian", ("bos_Latn", "hrv_Latn", "srp_Latn")),
    "msa": ("Malay or Indonesian", ("ind_Latn", "zsm_Latn")),
    "zho_Hani": ("Chinese", ("zho_Hans", "zho_Hant")),
}

UNKNOWN = "und"


def make_label(code: str, script: str) -> str:
    """
    >>> make_label("de", "Latn"), make_label("no", "Latn"), make_label("gsw", "Latn")
    ('deu_Latn', 'nob_Latn', 'gsw_Latn')
    """
    code = ALIASES.get(code, code)
    return f"{LONG.get(code, code)}_{script}"


def shorten_label(label: str) -> str:
    """The code of a label without its script: of two letters if there is one.

    >>> shorten_label("deu_Latn"), shorten_label("gsw_Latn"), shorten_label("hbs"), shorten_label("und")
    ('de', 'gsw', 'hbs', 'und')
    """
    long = label.partition("_")[0]
    return SHORT.get(long, long)
