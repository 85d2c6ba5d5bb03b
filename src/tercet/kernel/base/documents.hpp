// The texts of documents in memory, as Python or Arrow holds them.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/utf8.hpp"

namespace tercet {

struct Document {
    const void* data;
    std::size_t size;  // in units
    std::uint8_t unit;  // bytes per unit: 0 means UTF-8; 1, 2 and 4 are the arrays inside a Python str

    void append_to(std::string& out) const {
        if (size >= std::size_t{1} << 31) throw std::length_error("a text has more than 2 billion characters: cut it into parts");
        switch (unit) {
            case 0: out.append(static_cast<const char*>(data), size); return;
            case 1: return append_units(out, static_cast<const std::uint8_t*>(data), size);
            case 2: return append_units(out, static_cast<const std::uint16_t*>(data), size);
            default: return append_units(out, static_cast<const std::uint32_t*>(data), size);
        }
    }
    // The text as UTF-8: without a copy if it is UTF-8 already, else written to `room`.
    Bytes utf8(std::string& room) const {
        if (unit == 0) return Bytes(static_cast<const char*>(data), size);
        room.clear();
        append_to(room);
        return room;
    }
    std::size_t n_characters() const {
        if (unit) return size;
        const char* const begin = static_cast<const char*>(data);
        return static_cast<std::size_t>(std::count_if(begin, begin + size, [](char byte) { return !continues(byte); }));
    }
    std::size_t memory() const { return size * (unit ? unit : 1); }
};

using Documents = std::span<const Document>;

struct Range {
    std::size_t begin, end;
};

// Ranges of neighbouring documents. Each range is large enough to be a task for a thread.
inline std::vector<Range> split_documents(Documents documents) {
    constexpr std::size_t enough = 1 << 17;
    std::vector<Range> ranges;
    std::size_t begin = 0, memory = 0;
    for (std::size_t i = 0; i < documents.size(); ++i) {
        memory += documents[i].memory() + 64;
        if (memory < enough && i + 1 < documents.size()) continue;
        ranges.push_back({begin, i + 1});
        begin = i + 1;
        memory = 0;
    }
    return ranges;
}

}  // namespace tercet
