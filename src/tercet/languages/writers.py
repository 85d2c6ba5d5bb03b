"""How many people write each language: the prior of short texts.

The numbers are rounded, and our own. They begin with how many people speak a language, as their first or second one, as
encyclopedias have it. Many who speak a language hardly ever write it, because school, work and the web use another one: they
are not counted, as far as that is known. A language in two scripts has its number twice: the prior says nothing about scripts.
"""

from collections.abc import Sequence

import numpy as np

from tercet.arrays import Floats

OTHERS = 0.2  # millions of people, for a language that is not in the table

_MILLIONS = """
eng_Latn 1500 zho_Hans 1100 zho_Hant 1100 spa_Latn 550 hin_Deva 350 ara_Arab 300 fra_Latn 250 por_Latn 250 rus_Cyrl 220
ind_Latn 200 ben_Beng 200 deu_Latn 130 jpn_Jpan 120 urd_Arab 90 tur_Latn 85 vie_Latn 85 fas_Arab 80 kor_Kore 75 mar_Deva 70
tam_Taml 70 swa_Latn 70 ita_Latn 65 tha_Thai 60 tel_Telu 60 tgl_Latn 60 guj_Gujr 45 pol_Latn 40 mya_Mymr 35 ukr_Cyrl 35
kan_Knda 35 mal_Mlym 33 ori_Orya 30 amh_Ethi 30 nld_Latn 25 zsm_Latn 25 pan_Guru 25 ron_Latn 22 nep_Deva 22 uzb_Latn 20
hau_Latn 20 sin_Sinh 16 pus_Arab 15 snd_Arab 15 orm_Latn 15 mlg_Latn 15 khm_Khmr 14 asm_Beng 13 hun_Latn 12 ell_Grek 12
kaz_Cyrl 12 yor_Latn 12 swe_Latn 11 ces_Latn 11 aze_Latn 10 ceb_Latn 10 ibo_Latn 10 som_Latn 10 kin_Latn 10 lin_Latn 10
bho_Deva 10 yue_Hant 10 zul_Latn 9 cat_Latn 8 heb_Hebr 8 afr_Latn 8 uig_Arab 8 hat_Latn 8 aka_Latn 8 nya_Latn 8 bul_Cyrl 7
tgk_Cyrl 7 sna_Latn 7 xho_Latn 6 kur_Latn 6 run_Latn 6 dan_Latn 5.5 fin_Latn 5.5 hrv_Latn 5 srp_Latn 8 srp_Cyrl 8 slk_Latn 5
sqi_Latn 5 ckb_Arab 5 lao_Laoo 5 tuk_Latn 5 jav_Latn 5 sun_Latn 5 ilo_Latn 5 hil_Latn 5 mai_Deva 5 nob_Latn 4.5 kir_Cyrl 4.5
hye_Armn 4 mon_Cyrl 4 sot_Latn 4 tsn_Latn 4 lug_Latn 4 tir_Ethi 4 tpi_Latn 4 bam_Latn 4 ewe_Latn 4 grn_Latn 4 kik_Latn 4
kat_Geor 3.7 tso_Latn 3 bod_Tibt 3 que_Latn 3 wol_Latn 3 ful_Latn 3 war_Latn 3 lit_Latn 2.8 bos_Latn 2.5 slv_Latn 2
bel_Cyrl 2 tat_Cyrl 2 glg_Latn 2 kok_Deva 2 mkd_Cyrl 1.8 lav_Latn 1.5 est_Latn 1.1 aym_Latn 1 bak_Cyrl 1 che_Cyrl 1
eus_Latn 0.8 yid_Hebr 0.8 chv_Cyrl 0.7 nno_Latn 0.6 cym_Latn 0.6 lat_Latn 0.5 mlt_Latn 0.45 fry_Latn 0.4 isl_Latn 0.35
div_Thaa 0.35 epo_Latn 0.3 gle_Latn 0.3 ltz_Latn 0.3 oci_Latn 0.3 bre_Latn 0.2 mri_Latn 0.1 gla_Latn 0.06 fao_Latn 0.06
""".split()  # noqa: SIM905 (easier to read)

MILLIONS = dict(zip(_MILLIONS[::2], map(float, _MILLIONS[1::2]), strict=True))


def weigh_labels(labels: Sequence[str]) -> Floats:
    """The logarithm of how many people write each language, in millions.

    >>> weigh_labels(["eng_Latn", "xyz_Latn"]).round(2).tolist()
    [7.31, -1.61]
    """
    return np.log([MILLIONS.get(label, OTHERS) for label in labels])
