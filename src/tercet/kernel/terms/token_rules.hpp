// Rules that depend only on the token: stop words, forms, negation words, lexicons. So they are applied once to each distinct token.
#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/fork.hpp"
#include "terms/lexicon.hpp"
#include "terms/negation.hpp"

namespace tercet {

class WordSet {
  public:
    void add(Bytes word) { words_.intern(word); }
    bool has(Bytes word) const { return words_.find(word) != none; }

  private:
    StringTable words_;
};

// Forms that are known already, for all threads. Asking Python for a form takes a hundred times longer than looking it up here.
class KnownForms {
  public:
    // The forms of these tokens. `ask` is called for the tokens that are new.
    template <class Ask>
    std::vector<std::string> find(const std::vector<std::string>& tokens, Ask ask) {
        std::vector<std::string> forms(tokens.size()), unknown;
        std::vector<std::size_t> places;
        {
            const std::lock_guard lock(mutex_);
            for (std::size_t i = 0; i < tokens.size(); ++i) {
                const Id id = tokens_.find(tokens[i]);
                if (id != none) forms[i] = forms_.spelling(forms_of_[id]);
                else places.push_back(i);
            }
        }
        if (places.empty()) return forms;
        for (std::size_t i : places) unknown.push_back(tokens[i]);
        std::vector<std::string> found = ask(unknown);
        if (found.size() != unknown.size()) throw std::runtime_error("each token needs a form");
        const std::lock_guard lock(mutex_);
        if (tokens_.size() > max_remembered || tokens_.n_bytes() > max_bytes) {
            tokens_ = forms_ = {};
            forms_of_.clear();
        }
        for (std::size_t k = 0; k < places.size(); ++k) {
            if (tokens_.intern(unknown[k]) == forms_of_.size()) forms_of_.push_back(forms_.intern(found[k]));
            forms[places[k]] = std::move(found[k]);
        }
        return forms;
    }

  private:
    static constexpr std::size_t max_remembered = 1 << 20, max_bytes = 1 << 25;
    BriefMutex mutex_;
    StringTable tokens_, forms_;
    std::vector<Id> forms_of_;
};

// The stem or lemma of each of these tokens. A token with an empty form is left out.
using FindForms = std::function<std::vector<std::string>(const std::vector<std::string>&)>;

// All lists hold tokens after normalisation.
struct TokenRules {
    WordSet stop_words{};
    bool stops_forms = false;  // stop words are compared with the form of a token, not with the token. It needs `find_forms`
    std::optional<WordSet> kept_words{};  // all other tokens are left out
    std::optional<WordSet> negation{};
    bool nt_negates = false;  // tokens that end in n't are negation words: didn't
    Lexicon lexicon{};
    std::size_t n_lists = 0;  // of the lexicon. features[list] is the name of a hit, features[n_lists + list] of a negated hit
    FindForms find_forms{};
    std::shared_ptr<KnownForms> known_forms{};
};

// Whether places are inside one of some spans. Places must be passed in rising order.
class MarkedPlaces {
  public:
    explicit MarkedPlaces(const std::vector<Span>& spans) : spans_(spans) {}
    bool has(std::size_t place) {
        while (next_ < spans_.size() && spans_[next_].end <= place) ++next_;
        return next_ < spans_.size() && spans_[next_].start <= place;
    }

  private:
    const std::vector<Span>& spans_;
    std::size_t next_ = 0;
};

// The result of the rules for one token.
struct Meaning {
    Id word = none, negated_word = none;  // the term numbers of the form, `none` until they are needed
    Id in_lexicon = none;
    bool left_out = false;
    bool negates = false;
};

// The meanings of all tokens so far.
class Meanings {
  public:
    Meanings(const TokenRules& rules, std::size_t min_length) : rules_(rules), min_length_(min_length) {}

    Id intern(Bytes token) {
        const Id id = tokens_.intern(token, key_of_padded(token));
        if (id == meanings_.size()) meanings_.push_back({});
        return id;
    }
    // Find the meanings of new tokens. It must be called before they are used.
    void resolve() {
        if (n_resolved_ == meanings_.size()) return;
        std::vector<std::string> words;
        for (Id id = n_resolved_; id < meanings_.size(); ++id) {
            const Bytes token = tokens_.spelling(id);
            Meaning& meaning = meanings_[id];
            meaning.left_out = (!rules_.stops_forms && rules_.stop_words.has(token)) || (rules_.kept_words && !rules_.kept_words->has(token)) ||
                               (min_length_ > 1 && count_characters(token) < min_length_);
            meaning.negates = rules_.negation && (rules_.negation->has(token) || (rules_.nt_negates && ends_in_nt(token)));
            meaning.in_lexicon = rules_.lexicon.find(token);
            if (rules_.find_forms) words.emplace_back(token);
        }
        if (rules_.find_forms) {
            for (std::string& form : rules_.known_forms->find(words, rules_.find_forms)) {
                Meaning& meaning = meanings_[forms_.size()];
                meaning.left_out = meaning.left_out || form.empty() || (rules_.stops_forms && rules_.stop_words.has(form));
                forms_.push_back(std::move(form));
            }
        }
        n_resolved_ = static_cast<Id>(meanings_.size());
    }
    Bytes form(Id id) const { return rules_.find_forms ? Bytes(forms_[id]) : tokens_.spelling(id); }
    Meaning& operator[](Id id) { return meanings_[id]; }
    // Called between two texts, because a server gets new tokens for ever.
    void forget_many() {
        if (meanings_.size() < max_remembered && tokens_.n_bytes() < max_bytes) return;
        tokens_ = {};
        meanings_.clear();
        forms_.clear();
        n_resolved_ = 0;
    }

  private:
    static constexpr std::size_t max_remembered = 1 << 20, max_bytes = 1 << 25;
    const TokenRules& rules_;
    std::size_t min_length_;
    StringTable tokens_;
    std::vector<Meaning> meanings_;
    std::vector<std::string> forms_;  // only if they can differ from the tokens
    Id n_resolved_ = 0;
};

}  // namespace tercet
