// Vectors with random access. Large vectors use large memory pages, which makes random access faster.
#pragma once
#include <cstddef>
#include <new>
#include <utility>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace tercet {

template <class T>
struct LargePages {
    using value_type = T;
    LargePages() = default;
    template <class U>
    LargePages(const LargePages<U>&) {}

    T* allocate(std::size_t n) {
        if (n > static_cast<std::size_t>(-1) / sizeof(T) / 2) throw std::bad_array_new_length();
        if (!is_large(n)) return static_cast<T*>(::operator new(n * sizeof(T), std::align_val_t{alignof(T)}));
        void* room = ::operator new(n * sizeof(T), std::align_val_t{page});
#if defined(__linux__) && defined(MADV_HUGEPAGE)
        madvise(room, n * sizeof(T) / page * page, MADV_HUGEPAGE);  // only a hint: if it is ignored, access is slower
#endif
        return static_cast<T*>(room);
    }
    void deallocate(T* room, std::size_t n) {
        ::operator delete(room, std::align_val_t{is_large(n) ? page : alignof(T)});
    }
    // Numbers are not initialised: the caller fills new room.
    template <class U>
    void construct(U* place) {
        ::new (static_cast<void*>(place)) U;
    }
    template <class U, class... Arguments>
    void construct(U* place, Arguments&&... arguments) {
        ::new (static_cast<void*>(place)) U(std::forward<Arguments>(arguments)...);
    }
    template <class U>
    bool operator==(const LargePages<U>&) const {
        return true;
    }

  private:
    static constexpr std::size_t page = std::size_t{1} << 21;
    static bool is_large(std::size_t n) { return n * sizeof(T) >= 2 * page; }
};

template <class T>
using LargeVector = std::vector<T, LargePages<T>>;

}  // namespace tercet
