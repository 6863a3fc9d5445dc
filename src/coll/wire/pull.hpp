// Single-copy: the sender says where its bytes are, the receiver reads them there.
#pragma once

#include "coll/wire/cells.hpp"

namespace oshen::coll {

class pull_wire {
 public:
  static constexpr design how = design::single_copy;

  explicit pull_wire(const task& job) : job_(job), t_(job.members), cells_(job) {}

  void send(int pe, int step, const char* from, char*, std::size_t) { offer(pe, step, from); }
  void receive(int pe, int step, char* to, std::size_t bytes);
  void pass(int to_pe, int from_pe, int step, const char* from, std::size_t n, char* into, std::size_t m);
  void trade(int to_pe, int from_pe, int step, char* data, std::size_t n);
  void announce(bool is_source = true);
  void deposit(int, const char*, char*, std::size_t) {}
  void accept(int pe, const char* from_there, char* to, std::size_t bytes);
  void send_elements(int pe, int step, const char* from, char*, std::size_t) { offer(pe, step, from); }
  void receive_elements(int pe, int step, char* to, std::size_t n);
  void deposit_elements(int, const char*, char*, std::size_t) {}
  void accept_elements(int pe, const char* from_there, char* to, std::size_t n);
  void give(int, const char*, std::size_t) {}
  void take(int pe, const char* from_there, char* into, std::size_t n);
  void ready(int, int, std::size_t) {}
  void await_ready(int, int, std::size_t) {}
  void settle();

 private:
  static constexpr std::size_t piece_bytes = landing_bytes / 2;

  char* slice() const { return reinterpret_cast<char*>(t_.reach.control); }
  char* landing_of(int pe, std::uint64_t piece) const {
    return reinterpret_cast<char*>(t_.room_of(pe).landing) + piece % 2 * piece_bytes;
  }
  void read_elements(int pe, char* to, const char* from_there, std::size_t n);
  void offer(int pe, int step, const char* from);
  const char* await_offer(int pe, int step);
  void await_stage();

  const task& job_;
  team& t_;
  cells cells_;
  std::uint64_t sent_[collective_steps] = {};
  std::uint64_t heard_[collective_steps] = {};
  std::uint64_t offers_ = 0;       // that have not been answered yet
  int staged_pe_ = -1;             // who still reads our landing, in which step, up to which piece
  int staged_step_ = 0;
  std::uint64_t staged_ = 0;
  bool announced_ = false;
};

}  // namespace oshen::coll
