// The single-copy protocol: the sender sends the address of its bytes, and the receiver reads them there. README.md
// describes the members that all protocols share.
#pragma once

#include "coll/protocol/step_slots.hpp"

namespace oshen::coll {

class pull_protocol {
 public:
  static constexpr const char* name = "pull";
  static constexpr protocol_kind protocol = protocol_kind::single_copy;
  static constexpr scope where = scope::node;

  explicit pull_protocol(const collective_call& call) : call_(call), t_(call.members), slots_(call) {}

  void send(int pe, int step, const char* from, char*, std::size_t) { request(pe, step, from); }
  void receive(int pe, int step, char* to, std::size_t bytes);
  void exchange(int step, const operand_to_send& out, const operand_to_combine& in);
  void exchange_in_place(int step, int to_pe, int from_pe, char* data, std::size_t n);
  void expose(bool is_source = true);
  void deposit(int, const char*, char*, std::size_t) {}
  void accept(int pe, const char* from_there, char* to, std::size_t bytes);
  void send_elements(int pe, int step, const char* from, char*, std::size_t) { request(pe, step, from); }
  void receive_elements(int pe, int step, char* to, std::size_t n);
  void deposit_elements(int, const char*, char*, std::size_t) {}
  void accept_elements(int pe, const char* from_there, char* to, std::size_t n);
  void give(int, const char*, std::size_t) {}
  void take(int pe, const char* from_there, char* into, std::size_t n);
  void ready(int, int, std::size_t) {}
  void await_ready(int, int, std::size_t) {}
  void settle();

 private:
  static constexpr std::size_t chunk_bytes = bounce_bytes / 2;

  char* slice() const { return reinterpret_cast<char*>(t_.ctx.control); }
  char* bounce_of(int pe, std::uint64_t chunk) const {
    return reinterpret_cast<char*>(t_.workspace_of(pe).bounce) + chunk % 2 * chunk_bytes;
  }
  void read_elements(int pe, char* to, const char* from_there, std::size_t n);
  void request(int pe, int step, const char* from);
  const char* await_request(int pe, int step);
  void await_stage();

  const collective_call& call_;
  team& t_;
  step_slots slots_;
  step_counts sent_;
  step_counts received_;
  std::uint64_t requests_ = 0;  // Requests that peers have not confirmed yet.
  // The PE that may still read this PE's bounce buffer (-1: none), the step, and the last chunk that it reads.
  int staged_pe_ = -1;
  int staged_step_ = 0;
  std::uint64_t staged_ = 0;
  bool exposed_ = false;
};

}  // namespace oshen::coll
