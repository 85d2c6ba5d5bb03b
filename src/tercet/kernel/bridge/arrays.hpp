// Arrays in and out, and checks of arguments.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/hashing.hpp"
#include "base/large_vector.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace tercet {

template <class T>
using Input = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using InputTable = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Output = nb::ndarray<nb::numpy, T>;
using Integers = Output<std::int64_t>;
using Floats = Output<double>;
using Numbers = Input<std::int64_t>;

// An array that owns this memory.
template <class T>
Output<T> take_array(std::unique_ptr<T[]> data, std::initializer_list<std::size_t> shape) {
    T* raw = data.release();
    const nb::capsule owner(raw, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return Output<T>(raw, shape, owner);
}

// The same for arrays that may be large: new memory on large pages is filled much faster.
template <class T>
Output<T> take_array(LargeVector<T> data, std::initializer_list<std::size_t> shape) {
    auto* const vector = new LargeVector<T>(std::move(data));
    const nb::capsule owner(vector, [](void* p) noexcept { delete static_cast<LargeVector<T>*>(p); });
    return Output<T>(vector->data(), shape, owner);
}

template <class T, class List>
Output<T> copy_array(const List& values) {
    std::unique_ptr<T[]> data(new T[values.size()]);
    std::copy(values.begin(), values.end(), data.get());
    return take_array(std::move(data), {values.size()});
}

inline void expect(bool fits, const char* what) {
    if (!fits) throw nb::value_error(what);
}

inline void expect_below(Numbers values, std::size_t limit, const char* what) {
    for (std::size_t i = 0; i < values.size(); ++i)
        if (values(i) < 0 || static_cast<std::uint64_t>(values(i)) >= limit) throw nb::index_error(what);
}

// The new numbers of labels, in rising order and below n_new. A negative number becomes `none`: the label is left out.
inline std::vector<Id> read_places(Numbers places, std::size_t n_labels, Id n_new) {
    expect(places.size() == n_labels, "each label needs a place");
    std::vector<Id> result;
    std::int64_t last = -1;
    for (std::size_t i = 0; i < places.size(); ++i) {
        expect(places(i) < std::int64_t{n_new} && (places(i) < 0 || places(i) > last), "the places must be in order");
        last = std::max(last, places(i));
        result.push_back(places(i) < 0 ? none : static_cast<Id>(places(i)));
    }
    return result;
}

}  // namespace tercet
