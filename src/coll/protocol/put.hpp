// One-sided: puts and flags.
#pragma once

#include "coll/protocol/cells.hpp"

namespace oshen::coll {

class put_protocol {
 public:
  static constexpr const char* name = "put";
  static constexpr design how = design::one_sided;
  static constexpr scope where = scope::any;

  explicit put_protocol(const task& job) : job_(job), t_(job.members), cells_(job) {}

  [[gnu::noinline]] void send(int pe, int step, const char* from, char* to, std::size_t bytes);
  // The same, and more may follow while the bytes are on their way: `from` has not been taken before settle().
  void start_send(int pe, int step, const char* from, char* to, std::size_t bytes);
  void receive(int pe, int step, char* to, std::size_t bytes);
  void pass(int to_pe, int from_pe, int step, const char* from, std::size_t n, char* into, std::size_t m);
  void trade(int to_pe, int from_pe, int step, char* data, std::size_t n) {
    pass(to_pe, from_pe, step, data, n, data, n);  // a put has taken its bytes when it returns
  }
  void expose(bool = true) {}
  [[gnu::noinline]] void deposit(int pe, const char* from, char* to, std::size_t bytes);
  void accept(int pe, const char*, char*, std::size_t) { expect_from(pe); }
  void send_elements(int pe, int step, const char* from, char* to, std::size_t n);
  void receive_elements(int pe, int step, char*, std::size_t) { cells_.await_flag(pe, step, ++heard_[step]); }
  void deposit_elements(int pe, const char* from, char* to, std::size_t n);
  void accept_elements(int pe, const char*, char*, std::size_t) { expect_from(pe); }
  void give(int root, const char* from, std::size_t n);
  void take(int pe, const char* from_there, char* into, std::size_t n);
  // What travels in the cell needs no other place.
  void ready(int pe, int step, std::size_t bytes) {
    if (bytes > cell_payload) cells_.give_credit(pe, step, 1);
  }
  void await_ready(int pe, int step, std::size_t bytes) {
    if (bytes > cell_payload) cells_.await_credit(pe, step, 1);
  }
  void settle();

 private:
  static constexpr int give_step = collective_steps - 2;
  static constexpr std::size_t piece_bytes = bounce_bytes / 2;

  char* own_bounce(std::uint64_t piece) const {
    return reinterpret_cast<char*>(t_.own_workspace().bounce) + piece % 2 * piece_bytes;
  }
  void expect_from(int pe) {
    ++expected_;
    expected_from_ = pe;
  }
  // On both sides.
  bool is_block(std::size_t n) const { return n == 1 || (job_.dest_stride == 1 && job_.source_stride == 1); }
  void put_elements_remote(int pe, const char* from, char* to, std::size_t n);
  void write_elements(int pe, const char* from, char* to, std::size_t n);

  const task& job_;
  team& t_;
  cells cells_;
  std::uint64_t sent_[collective_steps] = {};
  std::uint64_t heard_[collective_steps] = {};
  bool started_ = false;  // there are sends that have been started only
  std::uint64_t expected_ = 0;
  int expected_from_ = -1;  // the last of them
};

}  // namespace oshen::coll
