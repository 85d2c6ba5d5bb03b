// Words whose full stop does not always end a sentence. abbreviations.py explains each list.
#pragma once
#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace tercet {

enum class Abbreviation { none, never_last, numbered, maybe_last };

namespace abbreviations {
inline constexpr std::string_view never_last =
    "mr mrs ms mx messrs dr drs prof profs rev gov lt maj capt cpt sgt cpl cmdr brig supt insp pvt adm vs v cf viz eg ie "
    "e.g i.e Sen Rep Gen Col Hon Det Pres Mt Fr sra sres srta dra lic dña ud uds vd vds ej p.ej sig sigg dott avv geom "
    "frl vgl bzw evtl ggf inkl sog z.b d.h u.a s.o mme mmes mlle mlles exmo exma profa";
inline constexpr std::string_view numbered =
    "no nos nr núm num n p pp pg pag pág págs s ss vol vols fig figs arts ch chap chs sec secs sect eq eqs cap capp kap "
    "bd abs tel ca c op bk pt pts approx ver jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu "
    "thur thurs fri ene abr dic okt dez giu lug ott";
inline constexpr std::string_view maybe_last =
    "etc inc ltd corp co jr sr bros esq al st ave blvd rd dept univ assn ecc usw cie";
inline constexpr std::string_view sentence_starters =
    "the this that these those he she it we they you i but and then there here when while if in on at as after before a an "
    "my his her our their its what why how who where so now yes no not for however although though because since one some "
    "many most all él ella ellos pero cuando una esto este il lo gli ma quando questo der die das ein eine er sie es wir ich "
    "aber und wenn elle ils nous mais os ele ela mas";
inline constexpr std::string_view after_ordinals =
    "januar februar märz april mai juni juli august september oktober november dezember jahrhundert jahrhunderts";
}  // namespace abbreviations

class Abbreviations {
  public:
    static constexpr std::size_t longest = 12;  // characters

    static const Abbreviations& get() {
        static const Abbreviations& known = *new Abbreviations;  // never destroyed: threads may use it while the process exits
        return known;
    }

    Abbreviation find(std::string_view word) const {
        const auto found = word.size() <= longest_bytes_ ? kinds_.find(word) : kinds_.end();
        return found == kinds_.end() ? Abbreviation::none : found->second;
    }
    bool starts_sentence(std::string_view word) const { return starters_.contains(word); }
    bool follows_ordinal(std::string_view word) const { return after_ordinals_.contains(word); }

  private:
    Abbreviations() {
        const auto add = [&](std::string_view words, Abbreviation kind) {
            each_word(words, [&](std::string_view word) {
                kinds_.emplace(word, kind);
                longest_bytes_ = std::max(longest_bytes_, word.size());
            });
        };
        add(abbreviations::never_last, Abbreviation::never_last);
        add(abbreviations::numbered, Abbreviation::numbered);
        add(abbreviations::maybe_last, Abbreviation::maybe_last);
        each_word(abbreviations::sentence_starters, [&](std::string_view word) { starters_.insert(word); });
        each_word(abbreviations::after_ordinals, [&](std::string_view word) { after_ordinals_.insert(word); });
    }

    template <class Use>
    static void each_word(std::string_view words, Use use) {
        for (std::size_t begin = 0; begin < words.size();) {
            const std::size_t end = std::min(words.find(' ', begin), words.size());
            use(words.substr(begin, end - begin));
            begin = end + 1;
        }
    }

    std::unordered_map<std::string_view, Abbreviation> kinds_;
    std::unordered_set<std::string_view> starters_, after_ordinals_;
    std::size_t longest_bytes_ = 0;
};

}  // namespace tercet
