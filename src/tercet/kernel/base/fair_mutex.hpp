// A lock that many readers or one writer may hold. Readers that come after a waiting writer wait for it: otherwise new readers
// could keep the writer waiting for ever.
#pragma once
#include <mutex>
#include <shared_mutex>

namespace tercet {

class FairMutex {
  public:
    void lock() {
        const std::lock_guard turn(turn_);
        mutex_.lock();
    }
    void unlock() { mutex_.unlock(); }
    void lock_shared() {
        { const std::lock_guard turn(turn_); }
        mutex_.lock_shared();
    }
    void unlock_shared() { mutex_.unlock_shared(); }

  private:
    std::mutex turn_;
    std::shared_mutex mutex_;
};

}  // namespace tercet
