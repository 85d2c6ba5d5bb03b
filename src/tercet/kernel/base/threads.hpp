// Work shared between threads.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace tercet {

// Call work(thread, item) for each item. Any thread may get any item. The first exception is thrown again at the end.
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
            break;  // no more threads are available: the others do all the work
        }
    }
    run(0);
    for (std::thread& helper : helpers) helper.join();
    if (error) std::rethrow_exception(error);
}

// The same in blocks of `block_size` neighbouring items, for items that need little time each.
template <class Work>
void share_out_blocks(std::size_t n_threads, std::size_t n_items, std::size_t block_size, Work work) {
    share_out(n_threads, (n_items + block_size - 1) / block_size, [&](std::size_t thread, std::size_t block) {
        for (std::size_t item = block * block_size; item < std::min(n_items, (block + 1) * block_size); ++item) work(thread, item);
    });
}

}  // namespace tercet
