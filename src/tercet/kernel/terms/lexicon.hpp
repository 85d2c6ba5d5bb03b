// Lists of words and phrases, and the search for them in a text.
#pragma once
#include <algorithm>
#include <vector>

#include "base/hash_table.hpp"

namespace tercet {

class Lexicon {
  public:
    // Add an entry of one or more tokens to a list.
    void add(const std::vector<std::string>& tokens, Id list) {
        Id node = none;
        for (const std::string& token : tokens) {
            const Id word = with_room(words_.intern(token));
            if (node != none) entry(node).goes_on = true;
            node = with_room(node == none ? word : phrases_.intern(node, word) | phrase_bit);
        }
        if (node == none) return;
        auto& lists = entry(node).lists;
        if (std::find(lists.begin(), lists.end(), list) == lists.end()) lists.push_back(list);
    }

    // The number of a token, or `none` if no entry has it.
    Id find(Bytes token) const { return words_.find(token); }

    // A search through the tokens of a text, one after another.
    class Search {
      public:
        explicit Search(const Lexicon& lexicon) : lexicon_(lexicon) {}

        bool is_open() const { return !open_.empty(); }
        void close() { open_.clear(); }

        // Go to the next token, which has this number. Calls use(list, first token) for each entry that ends here.
        template <class Use>
        void next(Id word, std::size_t position, Use use) {
            if (word == none) return open_.clear();
            std::size_t n = 0;
            for (const Open& open : open_) {
                const Id longer = lexicon_.phrases_.find(open.node, word);
                if (longer != none && visit(longer | phrase_bit, open.first, use)) open_[n++] = {longer | phrase_bit, open.first};
            }
            open_.resize(n);
            if (visit(word, position, use)) open_.push_back({word, position});
        }

      private:
        // Call `use` for the lists of a node. The result is whether longer phrases begin with it.
        template <class Use>
        bool visit(Id node, std::size_t first, Use use) const {
            const Entry& entry = lexicon_.entry(node);
            for (Id list : entry.lists) use(list, first);
            return entry.goes_on;
        }

        struct Open {
            Id node;
            std::size_t first;
        };
        const Lexicon& lexicon_;
        std::vector<Open> open_;
    };

  private:
    static constexpr Id phrase_bit = 0x80000000;

    struct Entry {
        std::vector<Id> lists{};
        bool goes_on = false;  // longer phrases begin with it
    };

    // Make room for a node that may be new.
    Id with_room(Id node) {
        auto& entries = node & phrase_bit ? of_phrases_ : of_words_;
        if ((node & ~phrase_bit) >= entries.size()) entries.resize((node & ~phrase_bit) + 1);
        return node;
    }
    const Entry& entry(Id node) const { return (node & phrase_bit ? of_phrases_ : of_words_)[node & ~phrase_bit]; }
    Entry& entry(Id node) { return (node & phrase_bit ? of_phrases_ : of_words_)[node & ~phrase_bit]; }

    StringTable words_;
    PairTable phrases_;  // (word or shorter phrase, next word)
    std::vector<Entry> of_words_, of_phrases_;
};

}  // namespace tercet
