// An operation on a far PE as one value. op/remote.cpp makes it. The endpoint issues it, packs it, or keeps it in the
// queue of deferred operations.
#pragma once

#include "transport/transport.hpp"

namespace oshen::transport {

enum class far_kind : std::uint8_t { put, get, put_signal, atomic };

// The operands of an atomic operation.
struct atomic_args {
  std::uint64_t at;  // offset of the object in the target's slice
  atomic_op op;
};

// The constructors store each member once. An aggregate would be filled with zeros first, which takes longer.
struct far_op {
  far_op(far_kind k, int target, const put_signal_args& a, void* to, completion* c)
      : kind(k), pe(target), local(c), result(to), args(a) {}
  far_op(int target, const atomic_args& a, void* to, completion* c)
      : kind(far_kind::atomic), pe(target), local(c), result(to), atomic(a) {}

  far_kind kind;
  int pe;             // of the job
  completion* local;  // null: the caller waits for a flush
  void* result;       // get: the destination; atomic: where the value before goes, or null
  union {
    put_signal_args args;  // of all kinds but `atomic`; of a get `to` is the offset at the target
    atomic_args atomic;
  };

  // The bytes that a put or get moves.
  std::size_t moved_bytes() const { return kind == far_kind::atomic ? 0 : args.bytes; }
  // True if the caller lends memory to the transport.
  bool has_source() const { return kind != far_kind::get && moved_bytes() != 0; }
  // True if it changes no memory but `result`.
  bool is_atomic_fetch() const { return kind == far_kind::atomic && atomic.op.op == operation::fetch; }
  // Of a put or get that has been issued in part: the operation becomes the rest, of the same length.
  void advance() {
    args.to += args.bytes;
    if (kind == far_kind::get)
      result = static_cast<char*>(result) + args.bytes;
    else
      args.from = static_cast<const char*>(args.from) + args.bytes;
  }
};

inline far_op put_of(int pe, std::uint64_t to, const void* from, std::size_t bytes, completion* local = nullptr) {
  return {far_kind::put, pe, {to, from, bytes, 0, 0, signal_op::set}, nullptr, local};
}

inline far_op get_of(int pe, void* to, std::uint64_t from, std::size_t bytes, completion* local = nullptr) {
  return {far_kind::get, pe, {from, nullptr, bytes, 0, 0, signal_op::set}, to, local};
}

inline far_op put_signal_of(int pe, const put_signal_args& args, completion* local = nullptr) {
  return {far_kind::put_signal, pe, args, nullptr, local};
}

// `result` may be null.
inline far_op atomic_of(int pe, std::uint64_t at, const atomic_op& what, void* result, completion* local = nullptr) {
  return {pe, {at, what}, result, local};
}

}  // namespace oshen::transport
