// A text during normalisation. It can track where each byte came from.
#pragma once
#include <string>
#include <vector>

#include "base/utf8.hpp"

namespace tercet {

// A range of characters in the original text.
struct Span {
    std::size_t start = 0;
    std::size_t end = 0;
};

struct Text {
    std::string bytes;
    std::vector<Span> sources;  // one per byte if tracked, else empty
    bool tracked = false;

    void clear() {
        bytes.clear();
        sources.clear();
    }
    void append(char32_t c, Span source) {
        append_character(bytes, c);
        if (tracked) sources.resize(bytes.size(), source);
    }
    void append(Bytes part, Span source) {
        bytes.append(part);
        if (tracked) sources.resize(bytes.size(), source);
    }
    // Make eight bytes after the end readable: hash keys are made from eight bytes at a time.
    void pad() { bytes.reserve(bytes.size() + 8); }
    Bytes part(std::size_t begin, std::size_t end) const { return {bytes.data() + begin, end - begin}; }
    // The source of the bytes [begin, end).
    Span source(std::size_t begin, std::size_t end) const {
        return tracked && begin < end ? Span{sources[begin].start, sources[end - 1].end} : Span{};
    }
    void append_copy(const Text& from, std::size_t begin, std::size_t end) {
        bytes.append(from.bytes, begin, end - begin);
        if (tracked) sources.insert(sources.end(), from.sources.begin() + begin, from.sources.begin() + end);
    }
};

}  // namespace tercet
