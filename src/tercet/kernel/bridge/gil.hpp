// The GIL, released and taken so that Python can exit while other threads are in the kernel.
//
// When the interpreter is finalized, a thread that asks for the GIL never gets it. Python 3.11 to 3.13 end such a thread with
// pthread_exit. glibc does that by an exception of its own, and the program aborts if this exception reaches a destructor or the end
// of a `catch (...)`. So no thread asks for the GIL then. If a thread asked just before, the exception is caught where the GIL is asked
// for, and the thread sleeps until the process ends. Python 3.14 lets such threads sleep by itself. Between the first function that
// `atexit` calls and the finalization, threads get the GIL as usual, because another such function may wait for them.
#pragma once
#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <stdexcept>
#include <thread>
#include <utility>

#include "base/fork.hpp"

namespace tercet {

[[noreturn]] inline void sleep_until_exit() {
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

// Call what may need the GIL, and sleep if Python ends this thread meanwhile. Usual exceptions pass.
template <class Call>
auto call_python(Call&& call) -> decltype(call()) {
    try {
        return std::forward<Call>(call)();
    } catch (const std::exception&) {
        throw;
    } catch (...) {
        sleep_until_exit();
    }
}

inline bool is_finalizing() {
#if PY_VERSION_HEX >= 0x030D0000
    return Py_IsFinalizing();
#else
    return _Py_IsFinalizing();
#endif
}

// Whether the interpreter exits, and how many threads of the kernel are in Python.
class PythonExit : ForkAware {
  public:
    static PythonExit& get() {
        static PythonExit& only = *new PythonExit;  // never destroyed: threads may use it while the process exits
        return only;
    }

    // Called by the thread that exits, with the GIL. Threads that the kernel has sent to Python may finish first, because other
    // extension modules abort at exit, too. A thread that waits for something else is not waited for longer than ten seconds.
    void begin() {
        thread_ = std::this_thread::get_id();
        has_begun_ = true;
        PyThreadState* state = PyEval_SaveThread();
        for (int step = 0; step < 10'000 && n_calls_; ++step) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        PyEval_RestoreThread(state);
    }

    // Whether Python exits and another thread does that.
    bool stops_this_thread() const { return has_begun_ && thread_ != std::this_thread::get_id(); }

    void enter_python() {
        ++n_calls_;  // before the check, so that `begin` sees this call or this call sees the exit
        if (!stops_this_thread()) return;
        --n_calls_;
        throw std::runtime_error("Python is exiting, so the kernel can't call it any more");
    }
    void leave_python() { --n_calls_; }

  private:
    PythonExit() = default;
    void after_in_child() noexcept override { n_calls_ = 0; }  // a child has none of the other threads

    std::atomic<std::thread::id> thread_;
    std::atomic<bool> has_begun_ = false;
    std::atomic<int> n_calls_ = 0;
};

// While it lives, this thread does not have the GIL.
class GilReleased {
  public:
    GilReleased() : state_(PyEval_SaveThread()) {}
    ~GilReleased() {
        // An exception may say that Python exits: nobody needs to read that.
        if (PythonExit::get().stops_this_thread() && (is_finalizing() || std::uncaught_exceptions())) sleep_until_exit();
        call_python([this] { PyEval_RestoreThread(state_); });
    }
    GilReleased(const GilReleased&) = delete;
    GilReleased& operator=(const GilReleased&) = delete;

  private:
    PyThreadState* state_;
};

// While it lives, this thread of the kernel has the GIL, to call Python.
class GilTaken {
  public:
    GilTaken() {
        PythonExit::get().enter_python();
        state_ = call_python([] { return PyGILState_Ensure(); });
    }
    ~GilTaken() {
        PyGILState_Release(state_);
        PythonExit::get().leave_python();
    }
    GilTaken(const GilTaken&) = delete;
    GilTaken& operator=(const GilTaken&) = delete;

  private:
    PyGILState_STATE state_;
};

}  // namespace tercet
