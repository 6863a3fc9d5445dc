// The one-sided protocol: puts and flags. README.md describes the members that all protocols share.
#pragma once

#include "coll/protocol/step_slots.hpp"

namespace oshen::coll {

class put_protocol {
 public:
  static constexpr const char* name = "put";
  static constexpr protocol_kind protocol = protocol_kind::one_sided;
  static constexpr scope where = scope::any;

  explicit put_protocol(const collective_call& call) : call_(call), t_(call.members), slots_(call) {}

  [[gnu::noinline]] void send(int pe, int step, const char* from, char* to, std::size_t bytes);
  // Like send(), but returns before the bytes have left: `from` must stay unchanged until settle().
  void start_send(int pe, int step, const char* from, char* to, std::size_t bytes);
  void receive(int pe, int step, char* to, std::size_t bytes);
  void exchange(int step, const operand_to_send& out, const operand_to_combine& in);
  void exchange_in_place(int step, int to_pe, int from_pe, char* data, std::size_t n) {
    exchange(step, {to_pe, data, n}, {from_pe, data, n});  // a put has copied its bytes when it returns
  }
  void expose(bool = true) {}
  [[gnu::noinline]] void deposit(int pe, const char* from, char* to, std::size_t bytes);
  void accept(int pe, const char*, char*, std::size_t) { expect_from(pe); }
  void send_elements(int pe, int step, const char* from, char* to, std::size_t n);
  void receive_elements(int pe, int step, char*, std::size_t) { slots_.await_flag(pe, step, received_.next(step)); }
  void deposit_elements(int pe, const char* from, char* to, std::size_t n);
  void accept_elements(int pe, const char*, char*, std::size_t) { expect_from(pe); }
  void give(int root, const char* from, std::size_t n);
  void take(int pe, const char* from_there, char* into, std::size_t n);
  // Data that fits into the step slot needs no room elsewhere.
  void ready(int pe, int step, std::size_t bytes) {
    if (bytes > step_payload) slots_.give_credit(pe, step, 1);
  }
  void await_ready(int pe, int step, std::size_t bytes) {
    if (bytes > step_payload) slots_.await_credit(pe, step, 1);
  }
  void settle() {
    if (started_ || flagged_ != 0 || expected_ != 0) finish();
  }

 private:
  static constexpr int give_step = collective_steps - 2;
  static constexpr std::size_t chunk_bytes = bounce_bytes / 2;

  char* own_bounce(std::uint64_t chunk) const {
    return reinterpret_cast<char*>(t_.own_workspace().bounce) + chunk % 2 * chunk_bytes;
  }
  static constexpr int most_flagged = give_step - 2;  // PEs of a team whose far deposits raise flags
  void finish();
  void exchange_chunks(int step, const operand_to_send& out, const operand_to_combine& in);
  // The step whose flag a deposit raises; less than 0: it is counted.
  int deposit_step(int from_pe, int to_pe) const;
  void expect_from(int pe);
  // The elements are contiguous on both sides.
  bool is_block(std::size_t n) const { return n == 1 || (call_.dest_stride == 1 && call_.source_stride == 1); }
  void put_elements_remote(int pe, const char* from, char* to, std::size_t n);
  void write_elements(int pe, const char* from, char* to, std::size_t n);

  const collective_call& call_;
  team& t_;
  step_slots slots_;
  step_counts sent_;
  step_counts received_;
  bool started_ = false;        // start_send() has been called since the last settle()
  std::uint32_t flagged_ = 0;   // steps of the deposits that settle() waits for
  std::uint64_t expected_ = 0;  // other deposits that it waits for
  int expected_from_ = -1;      // the PE of the last one
};

}  // namespace oshen::coll
