// Texts in few bytes, without loss: each text is a list of numbers of runs of characters.
//
// A run is a word, a single character of a script without blanks between words, or up to 32 bytes between them. One blank between two
// words is not written. Runs that occur more than once are in a dictionary, the most frequent first, so that frequent runs have small
// numbers; other runs are written out. Numbers have seven bits in each byte; the last byte of a number is below 128.
#pragma once
#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/documents.hpp"
#include "base/hash_table.hpp"
#include "base/utf8.hpp"

namespace tercet {

// Longer runs are always written out. So a byte of a damaged file stands for 33 bytes of text at most.
inline constexpr std::size_t longest_run = 32;

inline void append_number(std::string& out, std::uint64_t number) {
    for (; number >= 128; number >>= 7) out.push_back(static_cast<char>(number | 128));
    out.push_back(static_cast<char>(number));
}

enum class RunKind : std::uint8_t { word, single, between };

// The kind of run that a character belongs to, from its first two bytes.
inline RunKind kind_of_run(Bytes text, std::size_t i) {
    const auto lead = static_cast<unsigned char>(text[i]);
    if (lead < 0x80) {
        const bool is_word = (lead >= '0' && lead <= '9') || (lead >= 'A' && lead <= 'Z') || (lead >= 'a' && lead <= 'z');
        return is_word ? RunKind::word : RunKind::between;
    }
    const auto next = static_cast<unsigned char>(i + 1 < text.size() && continues(text[i + 1]) ? text[i + 1] : 0);
    if (lead < 0xC3 || lead == 0xE2) return RunKind::between;  // punctuation
    if (lead < 0xE0) return RunKind::word;
    if (lead == 0xE0) return next < 0xB8 ? RunKind::word : RunKind::single;  // Thai, Lao and Tibetan
    if (lead == 0xE1) return next < 0xB4 ? RunKind::single : RunKind::word;  // letters with marks
    return RunKind::single;
}

// Calls `visit(run)` for each run of a text, in order.
template <class Visit>
void visit_runs(Bytes text, Visit visit) {
    const auto character_end = [&](std::size_t i) {
        for (++i; i < text.size() && continues(text[i]);) ++i;
        return i;
    };
    bool after_word = false;
    for (std::size_t begin = 0; begin < text.size();) {
        const RunKind kind = kind_of_run(text, begin);
        std::size_t end = character_end(begin);
        if (kind != RunKind::single)
            while (end < text.size() && kind_of_run(text, end) == kind) end = character_end(end);
        if (kind != RunKind::between) {
            visit(text.substr(begin, end - begin));
        } else if (!(after_word && end == begin + 1 && text[begin] == ' ' && end < text.size() && kind_of_run(text, end) == RunKind::word)) {
            for (std::size_t i = begin; i < end; i += longest_run) visit(text.substr(i, std::min(longest_run, end - i)));
        }
        after_word = kind == RunKind::word;
        begin = end;
    }
}

struct PackedTexts {
    std::string dictionary;  // of each run the number of its bytes, and the bytes
    std::string texts;       // of each text the number of its runs, and the number of each run: 0 is a run that is written out
};

class TextPacker {
  public:
    static PackedTexts pack(Documents documents) {
        TextPacker packer;
        for (const Document& document : documents) packer.count(document);
        PackedTexts packed;
        packer.number_runs(packed.dictionary);
        for (const Document& document : documents) packer.write(document, packed.texts);
        return packed;
    }

  private:
    void count(const Document& document) {
        visit_runs(document.utf8(room_), [&](Bytes run) {
            if (run.size() > longest_run) return;
            const Id id = runs_.intern(run);
            if (id == counts_.size()) counts_.push_back(0);
            ++counts_[id];
        });
    }

    // Give numbers to the runs that occur more than once: by their counts, then by their bytes.
    void number_runs(std::string& dictionary) {
        std::vector<Id> order;
        for (Id id = 0; id < counts_.size(); ++id)
            if (counts_[id] > 1) order.push_back(id);
        std::sort(order.begin(), order.end(), [&](Id a, Id b) {
            return counts_[a] != counts_[b] ? counts_[a] > counts_[b] : runs_.spelling(a) < runs_.spelling(b);
        });
        std::fill(counts_.begin(), counts_.end(), 0);
        for (std::size_t i = 0; i < order.size(); ++i) {
            counts_[order[i]] = i + 1;
            append_number(dictionary, runs_.spelling(order[i]).size());
            dictionary.append(runs_.spelling(order[i]));
        }
    }

    void write(const Document& document, std::string& out) {
        std::size_t n = 0;
        own_.clear();
        visit_runs(document.utf8(room_), [&](Bytes run) {
            ++n;
            const std::uint64_t number = run.size() > longest_run ? 0 : counts_[runs_.find(run)];
            append_number(own_, number);
            if (number) return;
            append_number(own_, run.size());
            own_.append(run);
        });
        append_number(out, n);
        out.append(own_);
    }

    StringTable runs_;
    std::vector<std::uint64_t> counts_;  // of each run; its number later
    std::string room_, own_;
};

// Reads what `TextPacker` writes. Anything else that is no list of texts is an std::invalid_argument.
class TextUnpacker {
  public:
    TextUnpacker(Bytes dictionary, Bytes texts) : rest_(dictionary) {
        while (!rest_.empty()) {
            const Bytes run = take_run();
            if (run.size() > longest_run) throw damaged();
            runs_.push_back(run);
        }
        rest_ = texts;
    }

    // The bytes of the next text.
    void append_text(std::string& out) {
        const std::size_t begin = out.size();
        bool after_word = false;
        for (std::uint64_t n = take_number(); n; --n) {
            const std::uint64_t number = take_number();
            if (number > runs_.size()) throw damaged();
            const Bytes run = number ? runs_[number - 1] : take_run();
            const bool is_word = !run.empty() && kind_of_run(run, 0) == RunKind::word;
            if (after_word && is_word) out.push_back(' ');
            out.append(run);
            after_word = is_word;
        }
        if (!is_text(Bytes(out).substr(begin))) throw damaged();
    }

    bool is_done() const { return rest_.empty(); }

    static std::invalid_argument damaged() { return std::invalid_argument("the kept texts are damaged"); }

  private:
    std::uint64_t take_number() {
        std::uint64_t number = 0;
        for (int shift = 0; shift < 63 && !rest_.empty(); shift += 7) {
            const auto byte = static_cast<unsigned char>(rest_[0]);
            rest_.remove_prefix(1);
            number |= std::uint64_t{byte & 127u} << shift;
            if (byte < 128) return number;
        }
        throw damaged();
    }
    Bytes take_run() {
        const std::uint64_t size = take_number();
        if (size > rest_.size()) throw damaged();
        const Bytes run = rest_.substr(0, size);
        rest_.remove_prefix(size);
        return run;
    }

    std::vector<Bytes> runs_;
    Bytes rest_;
};

}  // namespace tercet
