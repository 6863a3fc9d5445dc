// The two-sided protocol: matched messages. README.md describes the members that all protocols share.
#pragma once

#include "coll/protocol/matcher.hpp"
#include "coll/protocol/step_slots.hpp"

namespace oshen::coll {

class message_protocol {
 public:
  static constexpr const char* name = "message";
  static constexpr protocol_kind protocol = protocol_kind::two_sided;
  static constexpr scope where = scope::node;

  explicit message_protocol(const collective_call& call) : call_(call), t_(call.members), matcher_(call) {}

  void send(int pe, int step, const char* from, char*, std::size_t bytes);
  void receive(int pe, int step, char* to, std::size_t bytes);
  void exchange(int step, const operand_to_send& out, const operand_to_combine& in);
  void exchange_in_place(int step, int to_pe, int from_pe, char* data, std::size_t n);
  void expose(bool = true) {}
  void deposit(int pe, const char* from, char*, std::size_t bytes) { send(pe, deposit_step, from, nullptr, bytes); }
  void accept(int pe, const char* from_there, char* to, std::size_t bytes);
  void send_elements(int pe, int step, const char* from, char*, std::size_t n);
  void receive_elements(int pe, int step, char* to, std::size_t n);
  void deposit_elements(int pe, const char* from, char*, std::size_t n) {
    send_elements(pe, deposit_step, from, nullptr, n);
  }
  void accept_elements(int pe, const char*, char* to, std::size_t n) { receive_elements(pe, deposit_step, to, n); }
  void give(int root, const char* from, std::size_t n) {
    send(root, deposit_step, from, nullptr, n * call_.element_bytes);
  }
  void take(int pe, const char* from_there, char* into, std::size_t n);
  void ready(int, int, std::size_t) {}
  void await_ready(int, int, std::size_t) {}
  void settle();

 private:
  static constexpr int deposit_step = collective_steps - 1;

  // A message that stays under way after the function that started it has returned.
  struct kept {
    matched_message m;
    kept* next;
  };
  matched_message& keep(int pe, int step, char* data, std::size_t bytes);
  matched_message reception(int pe, int step, char* data, std::size_t bytes, bool combine) const;

  const collective_call& call_;
  team& t_;
  matcher matcher_;
  kept* kept_ = nullptr;
};

}  // namespace oshen::coll
