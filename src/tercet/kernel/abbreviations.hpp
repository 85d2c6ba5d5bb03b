// Words with a full stop that need not end a sentence; reference/abbreviations.py says what each list means.
#pragma once
#include <algorithm>
#include <string_view>
#include <unordered_set>

namespace tercet {

class WordList {
  public:
    explicit WordList(std::string_view words) {
        for (std::size_t begin = 0; begin < words.size();) {
            const std::size_t end = std::min(words.find(' ', begin), words.size());
            words_.insert(words.substr(begin, end - begin));
            begin = end + 1;
        }
    }
    bool holds(std::string_view word) const { return words_.contains(word); }

  private:
    std::unordered_set<std::string_view> words_;
};

struct Abbreviations {
    static const Abbreviations& get() {
        static const Abbreviations abbreviations;
        return abbreviations;
    }

    static constexpr std::size_t longest = 12;  // characters

    const WordList never_last{
        "mr mrs ms mx messrs dr drs prof profs rev gov lt maj capt cpt sgt cpl cmdr brig supt insp pvt adm vs v cf viz eg ie "
        "e.g i.e Sen Rep Gen Col Hon Det Pres Mt Fr sra sres srta dra lic dña ud uds vd vds ej p.ej sig sigg dott avv geom "
        "hr frl vgl bzw evtl ggf inkl sog z.b d.h u.a s.o mme mmes mlle mlles mgr exmo exma profa"};
    const WordList numbered{
        "no nos nr núm num n p pp pg pag pág págs s ss vol vols fig figs art arts ch chap chs sec secs sect eq eqs cap capp kap "
        "bd abs tab tel ca c op bk pt pts app approx ver jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu "
        "thur thurs fri sat sun ene abr ago dic okt dez mag giu lug set ott"};
    const WordList maybe_last{"etc inc ltd corp co jr sr bros esq al st ave blvd rd dept univ assn ecc usw cie"};
    const WordList sentence_starters{
        "the this that these those he she it we they you i but and then there here when while if in on at as after before a an "
        "my his her our their its what why how who where so now yes no not for however although though because since one some "
        "many most all él ella ellos pero cuando una esto este il lo gli ma quando questo der die das ein eine er sie es wir ich "
        "aber und wenn elle ils nous mais os ele ela mas"};
    const WordList after_ordinals{
        "januar februar märz april mai juni juli august september oktober november dezember jahrhundert jahrhunderts"};
};

}  // namespace tercet
