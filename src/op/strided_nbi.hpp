// Non-blocking strided and block-strided put and get (shmemx_iput_nbi and the like). Strides are in elements.
#pragma once

#include "op/strided.hpp"

namespace oshen::op {

template <class T>
using word_of_size = typename word_of_bits<static_cast<int>(sizeof(T)) * 8>::type;

// One function for each size of an element.
template <class W>
void put_blocks_nbi(call_site at, W* dest, const W* source, const stride_args& b, int pe);
template <class W>
void get_blocks_nbi(call_site at, W* dest, const W* source, const stride_args& b, int pe);

template <class T>
inline void ibput_nbi(call_site at, T* dest, const T* source, const stride_args& b, int pe) {
  using word = word_of_size<T>;
  put_blocks_nbi(at, reinterpret_cast<word*>(dest), reinterpret_cast<const word*>(source), b, pe);
}
template <class T>
inline void ibget_nbi(call_site at, T* dest, const T* source, const stride_args& b, int pe) {
  using word = word_of_size<T>;
  get_blocks_nbi(at, reinterpret_cast<word*>(dest), reinterpret_cast<const word*>(source), b, pe);
}

}  // namespace oshen::op
