// A lock that many readers or one writer may hold. Readers that come after a waiting writer wait for it: otherwise new readers
// could keep the writer waiting for ever.
#pragma once
#include <memory>
#include <mutex>
#include <shared_mutex>

#include "base/fork.hpp"

namespace tercet {

// A fork does not wait for readers, who may hold it for long. Writers change tables with the GIL, which the forking thread has,
// so a child never finds half of a change.
class FairMutex : ForkAware {
  public:
    void lock() {
        const std::lock_guard turn(locks_->turn);
        locks_->mutex.lock();
    }
    void unlock() { locks_->mutex.unlock(); }
    void lock_shared() {
        { const std::lock_guard turn(locks_->turn); }
        locks_->mutex.lock_shared();
    }
    void unlock_shared() { locks_->mutex.unlock_shared(); }

  private:
    struct Locks {
        std::mutex turn;
        std::shared_mutex mutex;
    };
    void after_in_child() noexcept override {
        locks_.release();  // threads of the parent hold them: they can't be unlocked or destroyed here
        locks_ = std::make_unique<Locks>();
    }
    std::unique_ptr<Locks> locks_ = std::make_unique<Locks>();
};

}  // namespace tercet
