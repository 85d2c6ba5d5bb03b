// Texts as they lie in memory, and the threads that share them out.
#pragma once
#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <span>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/utf8.hpp"

namespace tercet {

struct Document {
    const void* data;
    std::size_t size;  // in units
    std::uint8_t unit;  // bytes a unit: 0 is UTF-8, 1, 2 and 4 are the arrays of a str

    void append_to(std::string& out) const {
        if (size >= std::size_t{1} << 31) throw std::length_error("a text has more than 2 billion characters: cut it into parts");
        switch (unit) {
            case 0: out.append(static_cast<const char*>(data), size); return;
            case 1: return append_units(out, static_cast<const std::uint8_t*>(data), size);
            case 2: return append_units(out, static_cast<const std::uint16_t*>(data), size);
            default: return append_units(out, static_cast<const std::uint32_t*>(data), size);
        }
    }
    // As UTF-8: where it lies, if it is that already, or written to `room`.
    Bytes utf8(std::string& room) const {
        if (unit == 0) return Bytes(static_cast<const char*>(data), size);
        room.clear();
        append_to(room);
        return room;
    }
    std::size_t memory() const { return size * (unit ? unit : 1); }
};

using Documents = std::span<const Document>;

struct Range {
    std::size_t begin, end;
};

// Ranges of neighbouring documents, each large enough to be worth a thread's trouble.
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

// Call work(thread, item) for each item; which thread gets which item is open. The first exception is passed on.
template <class Work>
void share_out(std::size_t n_threads, std::size_t n_items, Work work) {
    std::atomic<std::size_t> next = 0;
    std::exception_ptr error;
    std::mutex mutex;
    const auto run = [&](std::size_t thread) {
        try {
            for (std::size_t item; (item = next++) < n_items;) work(thread, item);
        } catch (...) {
            const std::lock_guard lock(mutex);
            if (!error) error = std::current_exception();
            next = n_items;
        }
    };
    n_threads = std::min(n_threads, n_items);
    std::vector<std::thread> helpers;
    helpers.reserve(n_threads);
    for (std::size_t thread = 1; thread < n_threads; ++thread) {
        try {
            helpers.emplace_back(run, thread);
        } catch (...) {
            break;  // no more threads to be had: those that run do all the work
        }
    }
    run(0);
    for (std::thread& helper : helpers) helper.join();
    if (error) std::rethrow_exception(error);
}

}  // namespace tercet
