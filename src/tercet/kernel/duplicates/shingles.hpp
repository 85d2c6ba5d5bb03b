// Text → what is compared to find near copies: the fingerprint of its words, and the set of its shingles (three words in a row).
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/documents.hpp"
#include "base/fingerprint.hpp"
#include "base/hashing.hpp"
#include "text/normalize.hpp"
#include "text/tokenize.hpp"

namespace tercet {

using Shingle = std::uint64_t;

// Constants without a pattern: the fractional parts of √11 and √13.
inline std::uint64_t mix_bits(std::uint64_t bits) { return fold_product(bits ^ 0x510E527FADE682D1, 0x9B05688C2B3E6C1F); }

class ShingleReader {
  public:
    static constexpr std::size_t shortest = 20, shingle_size = 3;  // in words

    // The fingerprint of the words of a text. Texts with equal words in equal order have equal fingerprints. A text without words has
    // the fingerprint of its characters. The set of shingles, sorted, is appended to `out`: a text with few words has none.
    Fingerprint read(const Document& document, std::vector<Shingle>& out) {
        read_words(document);
        if (words_.empty()) return Fingerprinter::of(document.utf8(joined_));
        if (words_.size() >= shortest) append_shingles(out);
        return Fingerprinter::of(joined_);
    }

  private:
    static const Recipe& recipe() {
        static const Recipe& words = *new Recipe{.form = Form::nfc};  // never destroyed: threads may use it while the process exits
        return words;
    }

    void read_words(const Document& document) {
        words_.clear();
        joined_.clear();
        document.append_to(normalizer_.input());
        normalizer_.prepare(false, 0);
        const Bytes text = normalizer_.run().bytes;
        std::size_t last_end = 0;
        each_token(recipe(), text, [&](const Token& token) {
            if (token.begin < last_end) return;  // a pair of characters of a script without spaces: it overlaps the last word
            last_end = token.end;
            const Bytes word = text.substr(token.begin, token.end - token.begin);
            words_.push_back(Fingerprinter::of(word)[0]);
            joined_.append(word).push_back(' ');
        });
    }

    void append_shingles(std::vector<Shingle>& out) const {
        const std::size_t begin = out.size();
        for (std::size_t i = 0; i + shingle_size <= words_.size(); ++i) {
            Shingle shingle = 0;
            for (std::size_t k = 0; k < shingle_size; ++k) shingle = mix_bits(shingle ^ words_[i + k]);
            out.push_back(shingle);
        }
        const auto own = out.begin() + static_cast<std::ptrdiff_t>(begin);
        std::sort(own, out.end());
        out.erase(std::unique(own, out.end()), out.end());
    }

    Normalizer normalizer_{recipe()};
    std::vector<std::uint64_t> words_;  // the hash of each word
    std::string joined_;
};

}  // namespace tercet
