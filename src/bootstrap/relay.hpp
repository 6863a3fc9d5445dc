// A PE's part in the tree (tree.hpp): a stream from its parent, over which results of the hub arrive, and streams to
// its children, to which it forwards them. The thread of the hub client does all work after start-up.
#pragma once

#include <poll.h>

#include <atomic>

#include "base/status.hpp"
#include "bootstrap/door.hpp"
#include "bootstrap/tree.hpp"

namespace oshen::bootstrap {

class relay {
 public:
  static constexpr int most_polled = door::most_polled + most_children;

  // Listens for children, and sets `mine`. False: this PE can have no children.
  bool open(const sip_key& secret, pe_endpoint& mine);
  // Connects to the parent, and expects `where.n_children` children. False if the parent cannot be reached.
  bool join(const sip_key& secret, const wire::referral& where, const wire::hello& me);
  // To be called when all children have connected.
  void complete() { door_.close_all(); }

  bool listens() const { return door_.is_open(); }
  int parent() const { return parent_; }
  // The position in the tree, as join() was given it.
  const wire::referral& where() const { return referral_; }
  void lose_parent();

  nfds_t watch(pollfd* list) const;
  // Admits children, detects children that have left, and sends unsent results.
  void serve();
  // Sends a result to all children. `body` need not outlive the call.
  void forward(wire::header head, const void* body, std::uint32_t round);
  // Checks the header of a result of the parent.
  bool check(const wire::header& head, std::uint32_t round);
  // Returns when the kernel has taken the whole last result, or after `milliseconds`. Any thread may call it.
  void drain(int milliseconds);
  void close_in_child() const;

 private:
  struct child {
    int fd = -1;
    std::size_t unsent = 0;  // bytes at the end of the result
  };
  void admit();
  void send_to(child& c, const char* result, std::size_t bytes);
  void leave(child& c);
  void show_progress();

  door door_;
  wire::signer from_parent_, to_children_;
  wire::referral referral_{};
  int parent_ = -1;
  int n_pes_ = 0;
  int n_expected_ = most_children;
  int n_admitted_ = 0;
  child children_[most_children];
  char* result_ = nullptr;  // a copy for children that could not take the whole result at once
  std::size_t result_bytes_ = 0;
  std::atomic<std::uint32_t> idle_{1};
};

}  // namespace oshen::bootstrap
