// Lists of words and phrases, and the search for them in a text.
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "base/hash_table.hpp"

namespace tercet {

class Lexicon {
  public:
    // Add an entry of one or more tokens to a list. A prefix stands for every token that begins with it, and is the last token.
    // Lists are added in rising order.
    void add(const std::vector<std::string>& tokens, bool ends_in_prefix, Id list) {
        Id node = none;
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            const Id word = with_room(ends_in_prefix && i + 1 == tokens.size() ? intern_prefix(tokens[i]) : words_.intern(tokens[i]));
            if (node != none) entry(node).goes_on = true;
            node = with_room(node == none ? word : phrases_.intern(node, word) | phrase_bit);
        }
        if (node == none) return;
        auto& lists = entry(node).lists;
        if (std::find(lists.begin(), lists.end(), list) == lists.end()) lists.push_back(list);
    }

    // Call it when all entries are added: it connects each word with the longest prefix that it begins with.
    void connect_prefixes() {
        if (!longest_prefix_) return;
        for (Id id = 0; id < words_.size(); ++id) of_words_[id].shorter = find_prefix(words_.spelling(id));
        for (Id id = 0; id < prefixes_.size(); ++id) {
            const Bytes prefix = prefixes_.spelling(id);
            of_prefixes_[id].shorter = find_prefix(prefix.substr(0, prefix.size() - 1));
        }
    }

    // The number of a token, or of the longest prefix that it begins with, or `none`.
    Id find(Bytes token) const {
        const Id word = words_.find(token);
        return word == none && longest_prefix_ ? find_prefix(token) : word;
    }

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
            for (const Open open : open_) {
                const auto lengthen = [&](Id next) {
                    const Id longer = lexicon_.phrases_.find(open.node, next);
                    return longer == none ? none : longer | phrase_bit;
                };
                visit(word, lengthen, open.first, use);
                if (const Id longer = lengthen(word); goes_on(longer)) open_[n++] = {longer, open.first};
            }
            open_.resize(n);
            visit(word, [](Id next) { return next; }, position, use);
            if (goes_on(word)) open_.push_back({word, position});
        }

      private:
        // No phrase goes on after a prefix.
        bool goes_on(Id node) const { return node != none && lexicon_.entry(node).goes_on; }

        // Call `use` once for each list of the nodes of a word and of the prefixes that it begins with.
        template <class NodeOf, class Use>
        void visit(Id word, NodeOf node_of, std::size_t first, Use use) {
            lists_.clear();
            for (; word != none; word = lexicon_.entry(word).shorter) {
                const Id node = node_of(word);
                if (node == none) continue;
                const std::vector<Id>& own = lexicon_.entry(node).lists;
                const std::size_t n = lists_.size();
                lists_.insert(lists_.end(), own.begin(), own.end());
                if (n) std::sort(lists_.begin(), lists_.end());
            }
            lists_.erase(std::unique(lists_.begin(), lists_.end()), lists_.end());
            for (Id list : lists_) use(list, first);
        }

        struct Open {
            Id node;
            std::size_t first;
        };
        const Lexicon& lexicon_;
        std::vector<Open> open_;
        std::vector<Id> lists_;
    };

  private:
    static constexpr Id phrase_bit = 0x80000000, prefix_bit = 0x40000000, bits = phrase_bit | prefix_bit;

    struct Entry {
        std::vector<Id> lists{};
        bool goes_on = false;  // longer phrases begin with it
        Id shorter = none;     // the longest prefix that this word or prefix begins with
    };
    using Entries = std::vector<Entry>;

    Id intern_prefix(const std::string& prefix) {
        longest_prefix_ = std::max(longest_prefix_, prefix.size());
        return prefixes_.intern(prefix) | prefix_bit;
    }
    Id find_prefix(Bytes token) const {
        for (std::size_t n = std::min(token.size(), longest_prefix_); n; --n)
            if (const Id id = prefixes_.find(token.substr(0, n)); id != none) return id | prefix_bit;
        return none;
    }

    template <class Self>
    static auto& entries_of(Self& self, Id node) {
        return node & phrase_bit ? self.of_phrases_ : node & prefix_bit ? self.of_prefixes_ : self.of_words_;
    }
    // Make room for a node that may be new.
    Id with_room(Id node) {
        Entries& entries = entries_of(*this, node);
        if ((node & ~bits) >= entries.size()) entries.resize((node & ~bits) + 1);
        return node;
    }
    const Entry& entry(Id node) const { return entries_of(*this, node)[node & ~bits]; }
    Entry& entry(Id node) { return entries_of(*this, node)[node & ~bits]; }

    StringTable words_, prefixes_;
    std::size_t longest_prefix_ = 0;  // in bytes; 0 if there is no prefix
    PairTable phrases_;               // (word or shorter phrase, next word)
    Entries of_words_, of_prefixes_, of_phrases_;
};

}  // namespace tercet
