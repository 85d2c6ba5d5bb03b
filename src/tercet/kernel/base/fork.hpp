// Locks that survive a fork. The child of a fork has one thread. A lock that another thread held at that moment would stay
// locked in the child for ever, so every lock that outlives a call is made again there.
#pragma once
#include <memory>
#include <mutex>
#ifndef _WIN32
#include <pthread.h>
#endif

namespace tercet {

// The base class of these locks. They are in a list, so that a fork reaches all of them.
class ForkAware {
  public:
    ForkAware(const ForkAware&) = delete;
    ForkAware& operator=(const ForkAware&) = delete;

  protected:
    ForkAware() {
        List& all = list();
        const std::lock_guard lock(*all.mutex);
        next_ = all.first;
        if (next_) next_->previous_ = this;
        all.first = this;
    }
    virtual ~ForkAware() {
        List& all = list();
        const std::lock_guard lock(*all.mutex);
        (previous_ ? previous_->next_ : all.first) = next_;
        if (next_) next_->previous_ = previous_;
    }
    virtual void before_fork() noexcept {}
    virtual void after_in_parent() noexcept {}
    virtual void after_in_child() noexcept = 0;

  private:
    struct List {
        std::unique_ptr<std::mutex> mutex = std::make_unique<std::mutex>();
        ForkAware* first = nullptr;
#ifndef _WIN32
        List() { pthread_atfork(before_all, after_all_in_parent, after_all_in_child); }
#endif
    };
    static List& list() {
        static List& all = *new List;  // never destroyed: locks may outlive other static objects
        return all;
    }
    static void before_all() noexcept {
        list().mutex->lock();
        for (ForkAware* each = list().first; each; each = each->next_) each->before_fork();
    }
    static void after_all_in_parent() noexcept {
        for (ForkAware* each = list().first; each; each = each->next_) each->after_in_parent();
        list().mutex->unlock();
    }
    static void after_all_in_child() noexcept {
        for (ForkAware* each = list().first; each; each = each->next_) each->after_in_child();
        list().mutex.release();  // it is locked, and must not be destroyed
        list().mutex = std::make_unique<std::mutex>();
    }

    ForkAware *previous_ = nullptr, *next_ = nullptr;
};

// A mutex that is held only for moments, and never by a thread that waits for the GIL. A fork waits for it, so that the data
// behind it are complete in the child.
class BriefMutex : ForkAware {
  public:
    void lock() { mutex_->lock(); }
    void unlock() { mutex_->unlock(); }

  private:
    void before_fork() noexcept override { lock(); }
    void after_in_parent() noexcept override { unlock(); }
    void after_in_child() noexcept override {
        mutex_.release();
        mutex_ = std::make_unique<std::mutex>();
    }
    std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();
};

}  // namespace tercet
