"""Words whose full stop does not always end a sentence: English, and some Spanish, Italian, German, French and Portuguese.

All are in lower case, except those whose lower case is a common word.
"""


def read_words(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Never the last word of a sentence, because a name or an explanation follows.
NEVER_LAST = read_words(
    "mr mrs ms mx messrs dr drs prof profs rev gov lt maj capt cpt sgt cpl cmdr brig supt insp pvt adm vs v cf viz eg ie "
    "e.g i.e Sen Rep Gen Col Hon Det Pres Mt Fr sra sres srta dra lic dña ud uds vd vds ej p.ej sig sigg dott avv geom "
    "frl vgl bzw evtl ggf inkl sog z.b d.h u.a s.o mme mmes mlle mlles exmo exma profa"
)
# Not the last word of a sentence if a digit follows.
NUMBERED = read_words(
    "no nos nr núm num n p pp pg pag pág págs s ss vol vols fig figs arts ch chap chs sec secs sect eq eqs cap capp kap "
    "bd abs tel ca c op bk pt pts approx ver jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu "
    "thur thurs fri ene abr dic okt dez giu lug ott"
)
# The last word of a sentence only if the next word is in SENTENCE_STARTERS. The same holds for initials.
MAYBE_LAST = read_words("etc inc ltd corp co jr sr bros esq al st ave blvd rd dept univ assn ecc usw cie")
# Words that often begin a sentence and are not names.
SENTENCE_STARTERS = read_words(
    "the this that these those he she it we they you i but and then there here when while if in on at as after before a an "
    "my his her our their its what why how who where so now yes no not for however although though because since one some "
    "many most all él ella ellos pero cuando una esto este il lo gli ma quando questo der die das ein eine er sie es wir ich "
    "aber und wenn elle ils nous mais os ele ela mas"
)
# In German a number with a full stop is an ordinal: 3. Oktober.
AFTER_ORDINALS = read_words(
    "januar februar märz april mai juni juli august september oktober november dezember jahrhundert jahrhunderts"
)
LONGEST = 12  # characters; no word in these lists is longer
