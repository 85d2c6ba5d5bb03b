// What the fuzzers do where a law is broken.
#pragma once
#include <cstdio>
#include <cstdlib>

inline void require(bool holds, const char* law) {
    if (holds) return;
    std::fprintf(stderr, "broken: %s\n", law);
    std::abort();
}
