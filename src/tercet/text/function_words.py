"""English function words: they carry grammar, not content. How often a writer uses each of them is typical of the writer."""

from tercet.text.word_lists import WordList

_ARTICLES = "a an the"
_DETERMINERS = """
this that these those each every either neither some any no all both half several many much more most few fewer fewest
little less least enough such other others another own same what which whose
"""
_PRONOUNS = """
i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers herself
it its itself they them their theirs themselves one oneself who whom whoever whomever whatever whichever
someone somebody something anyone anybody anything everyone everybody everything none nobody nothing
"""
_PREPOSITIONS = """
about above across after against along amid among amongst around as at before behind below beneath beside besides between
beyond by concerning despite down during except for from in inside into like near of off on onto out outside over past per
regarding since through throughout till to toward towards under underneath until unto up upon via with within without
"""
_CONJUNCTIONS = """
and but or nor yet so if unless although though because while whilst whereas whether when whenever where wherever why how
than once lest
"""
_AUXILIARIES = """
am is are was were be been being have has had having do does did doing done will would shall should can could may might
must ought cannot need dare used
"""
_PARTICLES = """
not there here then thus hence therefore however moreover also too only just even still never ever always again very quite
rather almost perhaps
"""

FUNCTION_WORDS = WordList(
    " ".join([_ARTICLES, _DETERMINERS, _PRONOUNS, _PREPOSITIONS, _CONJUNCTIONS, _AUXILIARIES, _PARTICLES]).split(),
    name="function words",
)
