"""Normalised texts are those of microTC: golden values, written by its version 2.4.13 (`TextModel.text_transformations`)."""

from typing import Any

import pytest
from helpers.invented_texts import normalize

TEXTS = [
    "RT @ana_luz: ¡Qué LINDO día!!! Mañana a las 10.30 en http://t.co/AbC123?x=1, ¿vienes? #México #FelizLunes",
    "Gooool de @Chicharito14, 3-0... ganamos :) jajajaja 100% https://example.org/a.b(c) ;-) 1.2.3 .5 7.",
    "el niño comió 2,500 piñas & 12.000,75 tortillas; no_me digas \"nooooo\" -dijo- 'así' (sí) [no] {ok} <3 |",
    "http:// nada http:/z @ solo # nada @@doble ##doble a@b.mx c#d xhttp://y",
    "The coffee's cooold… “fine” she said\twith\na bookkeeper’s smile ... 24/7 v2.0.1 +1 $5.99 50%_off =) *wow*",
    "áéíóú üÜ ñÑ çÇ ÀÈÌ ｆｕｌｌ ・ ١٢٣ ٣.٥",
    "x@1.5y http://a1.b2 #1 @2 3#4 5@6",
]
# (what becomes of hashtags, numbers, urls and users; lc; del_dup; del_punc), with del_diac always
EXPECTED = {
    ("group", True, False, True): [
        "~rt~_usr~que~lindo~dia~manana~a~las~_num~en~_url~vienes~_htag~_htag~",
        "~gooool~de~_usr~_num_num~ganamos~~jajajaja~_num%~_url~~_num_num~_num~_num~",
        "~el~nino~comio~_num_num~pinas~&~_num_num~tortillas~no_me~digas~nooooo~dijo~asi~si~no~ok~_num~~",
        "~http~nada~httpz~~solo~#~nada~_usr~_htag~a_usr~c_htag~x_url~",
        "~the~coffees~cooold~fine~she~said~with~a~bookkeepers~smile~~_num_num~v_num_num~+_num~$_num~_num%_off~=~*wow*~",
        "~aeiou~uu~nn~cc~aei~ｆｕｌｌ~~_num~_num~",
        "~x_usr~_url~_htag~_usr~_num_htag~_num_usr~",
    ],
    ("group", True, True, True): [
        "~rt~_usr~que~lindo~dia~manana~a~las~_num~en~_url~vienes~_htag~_htag~",
        "~gol~de~_usr~_num_num~ganamos~~jajajaja~_num%~_url~~_num_num~_num~_num~",
        "~el~nino~comio~_num_num~pinas~&~_num_num~tortilas~no_me~digas~no~dijo~asi~si~no~ok~_num~~",
        "~htp~nada~htpz~~solo~#~nada~_usr~_htag~a_usr~c_htag~x_url~",
        "~the~cofes~cold~fine~she~said~with~a~bokepers~smile~~_num_num~v_num_num~+_num~$_num~_num%_of~=~*wow*~",
        "~aeiou~u~n~c~aei~ｆｕｌ~~_num~_num~",
        "~x_usr~_url~_htag~_usr~_num_htag~_num_usr~",
    ],
    ("delete", True, True, False): [
        "~rt~~¡que~lindo~dia!~manana~a~las~~en~~¿vienes?~~~",
        "~gol~de~~-.~ganamos~:)~jajajaja~%~~;-)~~~~",
        "~el~nino~comio~,~pinas~&~,~tortilas;~no_me~digas~\"no\"~-dijo-~'asi'~(si)~[no]~{ok}~<~|~",
        "~htp:/~nada~htp:/z~@~solo~#~nada~~~a~c~x~",
        "~the~cofe's~cold…~“fine”~she~said~with~a~bokeper’s~smile~.~/~v~+~$~%_of~=)~*wow*~",
        "~aeiou~u~n~c~aei~ｆｕｌ~・~~~",
        "~x~~~@~~@~",
    ],
    ("delete", False, False, True): [
        "~RT~~Que~LINDO~dia~Manana~a~las~~en~~vienes~~~",
        "~Gooool~de~~~ganamos~~jajajaja~%~~~~~~",
        "~el~nino~comio~~pinas~&~~tortillas~no_me~digas~nooooo~dijo~asi~si~no~ok~~~",
        "~http~nada~httpz~~solo~#~nada~~~a~c~x~",
        "~The~coffees~cooold~fine~she~said~with~a~bookkeepers~smile~~~v~+~$~%_off~=~*wow*~",
        "~aeiou~uU~nN~cC~AEI~ｆｕｌｌ~~~~",
        "~x~~~~~~",
    ],
    ("group", False, True, False): [
        "~RT~_usr~¡Que~LINDO~dia!~Manana~a~las~_num~en~_url~¿vienes?~_htag~_htag~",
        "~Gol~de~_usr~_num-_num.~ganamos~:)~jajajaja~_num%~_url~;-)~_num_num~_num~_num~",
        "~el~nino~comio~_num,_num~pinas~&~_num,_num~tortilas;~no_me~digas~\"no\"~-dijo-~'asi'~(si)~[no]~{ok}~<_num~|~",
        "~htp:/~nada~htp:/z~@~solo~#~nada~_usr~_htag~a_usr~c_htag~x_url~",
        "~The~cofe's~cold…~“fine”~she~said~with~a~bokeper’s~smile~.~_num/_num~v_num_num~+_num~$_num~_num%_of~=)~*wow*~",
        "~aeiou~uU~nN~cC~AEI~ｆｕｌ~・~_num~_num~",
        "~x_usr~_url~_htag~_usr~_num_htag~_num_usr~",
    ],
}


@pytest.mark.parametrize(("treatment", "lowercase", "once", "bare"), EXPECTED)
def test_texts_become_what_microtc_makes_of_them(treatment: str, lowercase: bool, once: bool, bare: bool) -> None:
    options: dict[str, Any] = dict.fromkeys(("hashtags", "numbers", "urls", "users"), treatment)
    options |= {"form": "none", "lowercase": lowercase, "strip_marks": True, "tokens": "words", "min_token_length": 1}
    options |= {"max_repeats": 1 if once else None, "punctuation": "delete" if bare else "keep"}
    written = ["~" + "~".join(split_blanks(normalize(text, options).decode())) + "~" for text in TEXTS]
    assert written == EXPECTED[treatment, lowercase, once, bare]


def split_blanks(text: str) -> list[str]:
    """At every blank: two of them have an empty word between them, as in microTC."""
    return text.replace("\t", " ").replace("\n", " ").split(" ")
