// Words and phrases that stand in lists: what a text is said to be like when it has them.
#pragma once
#include <algorithm>
#include <vector>

#include "hash_table.hpp"

namespace tercet {

class Lexicon {
  public:
    // An entry of one token or more belongs to a list.
    void add(const std::vector<std::string>& tokens, Id list) {
        Id node = none;
        for (const std::string& token : tokens) {
            const Id word = with_room(words_.intern(token));
            node = with_room(node == none ? word : phrases_.intern(node, word) | phrase_bit);
        }
        if (node == none) return;
        auto& lists = lists_of(node);
        if (std::find(lists.begin(), lists.end(), list) == lists.end()) lists.push_back(list);
    }

    // The number of a token that some entry has, or `none`.
    Id find(Bytes token) const { return words_.find(token, key_of(token)); }

    class Search {  // through the tokens of a text, one after the other
      public:
        explicit Search(const Lexicon& lexicon) : lexicon_(lexicon) {}

        bool is_open() const { return !open_.empty(); }
        void close() { open_.clear(); }

        // The next token, by its number; use(list, first token) for each list with an entry that ends here.
        template <class Use>
        void next(Id word, std::size_t position, Use use) {
            std::size_t n = 0;
            if (word == none) return open_.clear();
            for (const Open& open : open_) {
                const Id longer = lexicon_.phrases_.find(open.node, word);
                if (longer != none) open_[n++] = {longer | phrase_bit, open.first};
            }
            open_.resize(n);
            open_.push_back({word, position});
            for (const Open& open : open_)
                for (Id list : lexicon_.lists_of(open.node)) use(list, open.first);
        }

      private:
        struct Open {
            Id node;
            std::size_t first;
        };
        const Lexicon& lexicon_;
        std::vector<Open> open_;
    };

  private:
    static constexpr Id phrase_bit = 0x80000000;

    // Makes room for the lists of a node that may be new.
    Id with_room(Id node) {
        auto& lists = node & phrase_bit ? of_phrases_ : of_words_;
        if ((node & ~phrase_bit) >= lists.size()) lists.resize((node & ~phrase_bit) + 1);
        return node;
    }
    const std::vector<Id>& lists_of(Id node) const { return (node & phrase_bit ? of_phrases_ : of_words_)[node & ~phrase_bit]; }
    std::vector<Id>& lists_of(Id node) { return (node & phrase_bit ? of_phrases_ : of_words_)[node & ~phrase_bit]; }

    StringTable words_;
    PairTable phrases_;  // (beginning, next word)
    std::vector<std::vector<Id>> of_words_, of_phrases_;
};

}  // namespace tercet
