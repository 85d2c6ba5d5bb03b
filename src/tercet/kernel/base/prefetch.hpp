// Ask the processor to load memory that is needed soon. Only a hint.
#pragma once

namespace tercet {

inline void prefetch([[maybe_unused]] const void* place) {
#if defined(__GNUC__) || defined(__clang__)
    __builtin_prefetch(place);
#endif
}

}  // namespace tercet
