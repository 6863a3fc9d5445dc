// Single-copy: the sender says where its bytes are, the receiver reads them there.
#pragma once

#include "coll/protocol/cells.hpp"

namespace oshen::coll {

class pull_protocol {
 public:
  static constexpr const char* name = "pull";
  static constexpr design how = design::single_copy;
  static constexpr scope where = scope::node;

  explicit pull_protocol(const task& job) : job_(job), t_(job.members), cells_(job) {}

  void send(int pe, int step, const char* from, char*, std::size_t) { request(pe, step, from); }
  void receive(int pe, int step, char* to, std::size_t bytes);
  void pass(int to_pe, int from_pe, int step, const char* from, std::size_t n, char* into, std::size_t m);
  void trade(int to_pe, int from_pe, int step, char* data, std::size_t n);
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
  static constexpr std::size_t piece_bytes = bounce_bytes / 2;

  char* slice() const { return reinterpret_cast<char*>(t_.ctx.control); }
  char* bounce_of(int pe, std::uint64_t piece) const {
    return reinterpret_cast<char*>(t_.workspace_of(pe).bounce) + piece % 2 * piece_bytes;
  }
  void read_elements(int pe, char* to, const char* from_there, std::size_t n);
  void request(int pe, int step, const char* from);
  const char* await_request(int pe, int step);
  void await_stage();

  const task& job_;
  team& t_;
  cells cells_;
  std::uint64_t sent_[collective_steps] = {};
  std::uint64_t heard_[collective_steps] = {};
  std::uint64_t requests_ = 0;     // that have not been answered yet
  int staged_pe_ = -1;             // who still reads our bounce buffer, in which step, up to which piece
  int staged_step_ = 0;
  std::uint64_t staged_ = 0;
  bool exposed_ = false;
};

}  // namespace oshen::coll
