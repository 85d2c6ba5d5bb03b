// Text → its language: the languages with the highest probabilities, or none if the text is in none of them.
//
// P(label) is proportional to exp(-cost / (spread + spread_per_letter · n)), for a text of n letters and ends of words: the letters of a
// text depend on each other, so a long text says less than the sum of its letters.
//
// A short text says little, so there it counts how common a language is: P is multiplied by exp(-handicap). If all words of a short text
// are common words of some languages, the others are exp(-4) as probable. If it is a single word, its letters do not matter any more
// among the languages that list it: sentences, which the costs are made of, have few greetings.
//
// A text is in no known language if it has no letters or is a program. If it is not made of common words, it is also in none if it has
// very few letters and no language is probable, if its letters are too surprising for the language that they fit best, or if a second
// scorer that knows many more languages finds one of those to be better by a margin. The second one is asked only about texts that are
// more surprising than most, and reads only their beginning.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "languages/common_words.hpp"
#include "languages/language_scorer.hpp"

namespace tercet {

struct LanguageAnswer {
    std::int64_t label;
    double probability;
};

// Limits are for the mean surprise of a letter above that which is typical of the language, in nats. A text of n letters has the limit
// a + b / √n.
struct LanguageSettings {
    double spread, spread_per_letter;  // of probabilities
    double doubt, doubt_short;      // above this limit, the second scorer is asked
    double refusal, refusal_short;  // above this one, the text is in no known language
    double margin, margin_short;    // nats by which the second scorer must find another language better: margin · n + margin_short · √n
    double tie;                     // a label of a group needs this share of the probability of its group
    double switch_cost;             // of a change of the language inside a text, in nats
};

class LanguageIdentifier {
  public:
    static constexpr std::int64_t unknown = -1, nothing = -2;
    static constexpr double cost_unit = 32, surprise_unit = 16;
    static constexpr std::size_t letters_per_sign = 16;  // a text has fewer signs of programs
    static constexpr std::size_t most_characters = 1 << 20;  // of a text that are read
    static constexpr std::size_t n_short = 3;            // a text that is not longer needs a language or a group with half of the probability
    static constexpr double half = 0.5;
    static constexpr std::size_t n_asked = 64;           // letters that the second scorer is asked about
    static constexpr std::size_t most_words = 4, most_letters = 48;  // of a short text. The letters count by their weights.
    static constexpr double unlisted = 4;                // nats of a language that does not list the words of a short text
    static constexpr double negligible = 16;  // exp(-16) adds nothing that is seen to a probability

    struct Question {
        std::vector<std::uint8_t> allowed;  // 1 for each label that may be answered
        bool may_refuse;                    // whether `unknown` may be answered
        std::vector<std::uint8_t> folded;   // 1 for each group that may be answered
        std::vector<double> handicaps;      // of each label in a short text, in nats
    };

    // `groups` has the number of the group of each label, or -1, and `typical` the mean surprise of a letter. `known` has, for each
    // label of the second scorer, the same label of the first one, or -1.
    LanguageIdentifier(const LanguageScorer& scorer, const LanguageScorer* wide, std::vector<std::int64_t> known,
                       std::vector<std::int64_t> groups, std::vector<double> typical, LanguageSettings settings, Question question, CommonWords common)
        : scorer_(scorer), wide_(wide), known_(std::move(known)), groups_(std::move(groups)), typical_(std::move(typical)),
          settings_(settings), question_(std::move(question)), common_(std::move(common)) {
        if (groups_.size() != scorer.n_labels() || typical_.size() != scorer.n_labels()) throw std::invalid_argument("each label needs a group");
        if (question_.allowed.size() != scorer.n_labels()) throw std::invalid_argument("each label is allowed or not");
        if (question_.handicaps.size() != scorer.n_labels()) throw std::invalid_argument("each label needs a handicap");
        for (const std::int64_t group : groups_)
            if (group >= static_cast<std::int64_t>(question_.folded.size())) throw std::invalid_argument("each group is folded or not");
        if (known_.size() != (wide ? wide->n_labels() : 0)) throw std::invalid_argument("each label of the second scorer needs a label");
    }

    const LanguageScorer& scorer() const { return scorer_; }
    const Question& question() const { return question_; }
    double switch_cost() const { return settings_.switch_cost; }

    // Reads texts; each thread needs its own.
    class Reader {
      public:
        explicit Reader(const LanguageIdentifier& identifier)
            : identifier_(identifier), words_(identifier.scorer_.letters()) {
            if (identifier.wide_) wide_words_.emplace_back(identifier.wide_->letters());
        }

        // Writes `top` answers; `nothing` after the last one.
        void answer(const Document& whole, std::size_t top, LanguageAnswer* out) {
            const Document document = cut(whole);
            const Question& question = identifier_.question_;
            std::fill_n(out, top, LanguageAnswer{nothing, 0});
            const LanguageScorer& scorer = identifier_.scorer_;
            const Words& words = words_.read(document);
            const std::span<const Letter> letters = words.letters;
            const std::size_t system = scorer.choose_system(letters, question.allowed, !question.may_refuse);
            if (!scorer.has_label(system, question.allowed) || (question.may_refuse && is_program(words))) {
                *out = {unknown, 1};
                return;
            }
            add(letters, system, top, true);
            if (question.may_refuse && is_unknown(document)) {
                *out = {unknown, 1};
                return;
            }
            write(top, out);
        }

        // The same for words of one writing system, which has an allowed language. If they are a part of a text, they are never short.
        void answer_words(std::span<const Letter> letters, std::size_t system, bool is_whole, std::size_t top, LanguageAnswer* out) {
            std::fill_n(out, top, LanguageAnswer{nothing, 0});
            add(letters, system, top, is_whole);
            write(top, out);
        }

      private:
        struct Ranked {
            double distance;  // from the best label, in nats
            std::size_t label;
            double probability;
        };

        // The beginning of a text, which says enough: so no text takes much time or memory.
        static Document cut(Document document) {
            if (document.size <= most_characters) return document;
            if (document.unit) {
                document.size = most_characters;
                return document;
            }
            const char *const begin = static_cast<const char*>(document.data), *const end = begin + document.size, *p = begin;
            for (std::size_t n = 0; n < most_characters && p < end; ++n) p += character_size(*p);
            document.size = static_cast<std::size_t>(p - begin);
            return document;
        }

        void add(std::span<const Letter> letters, std::size_t system, std::size_t top, bool is_whole) {
            const LanguageScorer& scorer = identifier_.scorer_;
            scorer.add_words(letters, system, search_, sum_);
            is_common_ = false;
            list_distances(scorer.system(system));
            if (is_whole && is_short(letters)) expect_common(letters, system);
            rank(top);
        }

        bool is_short(std::span<const Letter> letters) const {
            std::size_t n_words = 0, n_letters = 0, begin = 0;
            for (std::size_t i = 0; i < letters.size() && n_words <= most_words; ++i) {
                if (letters[i]) continue;
                n_letters += (i - begin) * identifier_.scorer_.find_weight(system_of(letters[begin]));
                ++n_words;
                begin = i + 1;
            }
            return n_words <= most_words && n_letters <= most_letters;
        }

        // The allowed labels, with their distances from the label that the letters fit best.
        void list_distances(const WritingSystem& system) {
            ranked_.clear();
            n_labels_ = system.labels.size();
            lowest_ = UINT64_MAX;
            for (std::size_t i = 0; i < n_labels_; ++i)
                if (identifier_.question_.allowed[system.labels[i]] && sum_.costs[i] < lowest_) lowest_ = sum_.costs[i], nearest_ = system.labels[i];
            const LanguageSettings& settings = identifier_.settings_;
            const double scale = 1 / ((settings.spread + settings.spread_per_letter * static_cast<double>(sum_.n_events)) * cost_unit);
            for (std::size_t i = 0; i < n_labels_; ++i)
                if (identifier_.question_.allowed[system.labels[i]]) ranked_.push_back({scale * static_cast<double>(sum_.costs[i] - lowest_), system.labels[i], 0});
        }

        // Add what is expected of a short text: its language is common, and so are its words.
        void expect_common(std::span<const Letter> letters, std::size_t system) {
            const std::size_t n_words = identifier_.common_.mark(letters, system, listed_);
            is_common_ = std::any_of(ranked_.begin(), ranked_.end(), [&](const Ranked& each) { return listed_[each.label]; });
            double nearest = HUGE_VAL;
            for (Ranked& each : ranked_) {
                if (is_common_ && !listed_[each.label]) each.distance += unlisted;
                if (listed_[each.label] && n_words == 1) each.distance = 0;
                each.distance += identifier_.question_.handicaps[each.label];
                nearest = std::min(nearest, each.distance);
            }
            for (Ranked& each : ranked_) each.distance -= nearest;
        }

        static bool is_program(const Words& words) {
            return words.n_signs > 1 && words.n_signs * letters_per_sign > words.letters.size();
        }

        // The labels with their probabilities, the best first.
        void rank(std::size_t top) {
            // Most languages are out of the question, and are not sorted.
            const auto end = std::partition(ranked_.begin(), ranked_.end(), [](const Ranked& each) { return each.distance < negligible; });
            const std::size_t n_likely = static_cast<std::size_t>(end - ranked_.begin());
            if (n_likely >= top) ranked_.erase(end, ranked_.end());
            std::sort(ranked_.begin(), ranked_.end(), [](const Ranked& a, const Ranked& b) {
                return a.distance != b.distance ? a.distance < b.distance : a.label < b.label;
            });
            for (Ranked& each : ranked_) each.probability = std::exp(-each.distance);
            double total = 0;
            for (std::size_t i = 0; i < n_likely; ++i) total += ranked_[i].probability;
            for (Ranked& each : ranked_) each.probability /= total;
        }

        bool is_unknown(const Document& document) {
            const LanguageSettings& settings = identifier_.settings_;
            if (!sum_.n_events) return true;
            const double n = static_cast<double>(sum_.n_events);
            if (is_common_ && sum_.n_events > 2) return false;  // a single letter is no word
            if (sum_.n_events <= n_short && add_group(identifier_.groups_[ranked_[0].label]).probability < half) return true;
            const double surprise = (static_cast<double>(sum_.costs[n_labels_]) / surprise_unit + static_cast<double>(lowest_) / cost_unit) / n;
            const double excess = surprise - identifier_.typical_[nearest_];
            if (excess > settings.refusal + settings.refusal_short / std::sqrt(n)) return true;
            return identifier_.wide_ && excess > settings.doubt + settings.doubt_short / std::sqrt(n) && is_another(document);
        }

        // Whether the second scorer finds a language that the first one does not know.
        bool is_another(const Document& document) {
            const LanguageScorer& wide = *identifier_.wide_;
            const std::span<const Letter> letters = cut_letters(wide_words_[0].read(document).letters);
            all_.assign(wide.n_labels(), 1);
            const std::size_t system = wide.choose_system(letters, all_, false);
            if (!wide.has_label(system, all_)) return true;
            wide.add_words(letters, system, search_, wide_sum_);
            const WritingSystem& found = wide.system(system);
            constexpr std::uint64_t most = UINT64_MAX;
            std::uint64_t other = most, same = most;
            for (std::size_t i = 0; i < found.labels.size(); ++i) {
                std::uint64_t& best = identifier_.known_[found.labels[i]] < 0 ? other : same;
                best = std::min(best, wide_sum_.costs[i]);
            }
            if (same == most) return true;
            const double n = static_cast<double>(wide_sum_.n_events), lead = (static_cast<double>(same) - static_cast<double>(other)) / cost_unit;
            return lead > identifier_.settings_.margin * n + identifier_.settings_.margin_short * std::sqrt(n);
        }

        // The first words of a text: it takes long to compare several hundred languages.
        static std::span<const Letter> cut_letters(std::span<const Letter> letters) {
            std::size_t n = std::min(n_asked, letters.size());
            while (n < letters.size() && letters[n - 1]) ++n;
            return letters.first(n);
        }

        struct Group {
            double probability;
            std::size_t n;
        };

        // The members of the best label's group: only that label if it is in none.
        Group add_group(std::int64_t group) const {
            if (group < 0) return {ranked_[0].probability, 1};
            Group members{0, 0};
            for (const Ranked& each : ranked_)
                if (identifier_.groups_[each.label] == group) members.probability += each.probability, ++members.n;
            return members;
        }

        void write(std::size_t top, LanguageAnswer* out) const {
            const std::vector<std::int64_t>& groups = identifier_.groups_;
            const std::int64_t best = groups[ranked_[0].label], group = best >= 0 && identifier_.question_.folded[static_cast<std::size_t>(best)] ? best : -1;
            const Group members = add_group(group);
            const bool tied = members.n > 1 && ranked_[0].probability < identifier_.settings_.tie * members.probability;
            std::size_t n = 0;
            if (tied) out[n++] = {static_cast<std::int64_t>(identifier_.scorer_.n_labels()) + group, members.probability};
            for (const Ranked& each : ranked_) {
                if (n == top) return;
                if (!tied || groups[each.label] != group) out[n++] = {static_cast<std::int64_t>(each.label), each.probability};
            }
        }

        const LanguageIdentifier& identifier_;
        WordReader words_;
        std::vector<WordReader> wide_words_;
        NgramTable::Search search_;
        LanguageCosts sum_, wide_sum_;
        std::size_t n_labels_ = 0;  // of the writing system of the text
        std::vector<Ranked> ranked_;
        std::uint64_t lowest_ = 0;     // cost, of the allowed label that the letters fit best
        std::size_t nearest_ = 0;      // this label
        bool is_common_ = false;       // whether some allowed label lists all words of a short text
        std::vector<std::uint8_t> listed_;
        std::vector<std::uint8_t> all_;
    };

  private:
    const LanguageScorer& scorer_;
    const LanguageScorer* wide_;
    std::vector<std::int64_t> known_, groups_;
    std::vector<double> typical_;
    LanguageSettings settings_;
    Question question_;
    CommonWords common_;
};

}  // namespace tercet
