// The listeners of a process for PEs of its job. A connection is unproved until its process has proved that it knows
// the job's secret (wire.hpp). Unproved connections can neither replace a PE nor delay it. However many come from one
// origin, they push out only each other, and a PE of another origin keeps its entry.
#pragma once

#include <poll.h>

#include <cstddef>
#include <cstdint>

#include "bootstrap/wire.hpp"

namespace oshen::bootstrap {

class door {
 public:
  static constexpr int most_unproved = 256;  // streams whose handshake is not complete
  static constexpr int most_accepted = 32;   // of each listener between two looks at the streams that have an entry
  static constexpr int most_polled = most_unproved + 2;

  // A PE that has proved its membership, and waits for the proof of this side.
  struct guest {
    int fd;
    wire::handshake handshake;
    const wire::hello& hello() const { return handshake.pe_hello; }
  };

  // Listens at the abstract name `local`, and at `port`, which is stored if it is 0. False on failure (errno).
  bool open(const sip_key& secret, std::uint64_t local, std::uint16_t& port);
  bool is_open() const { return unproved_ != nullptr; }
  // An open listener.
  int listener() const { return listeners_[0] >= 0 ? listeners_[0] : listeners_[1]; }
  // Writes the descriptors to wait for, and returns their number. `most_polled` entries are enough.
  nfds_t watch(pollfd* list) const;
  // Accepts connections and reads their messages. True: `one` is a guest, and there may be more guests.
  bool next(guest& one);
  // Proves this side to the guest; false if the stream is broken. The descriptor stays with the caller.
  bool welcome(const guest& one) const;
  void close_all();
  // The same in a child made by fork(), without freeing memory.
  void close_in_child() const;

 private:
  struct unproved_stream;

  void accept(int listener);
  unproved_stream* free_entry();
  unproved_stream* most_expendable();
  bool receive_hello(unproved_stream& s, guest& one);

  sip_key secret_{};
  int listeners_[2] = {-1, -1};
  unproved_stream* unproved_ = nullptr;
  std::uint64_t closed_until_ = 0;  // accepts nothing before this time, because no descriptor was free
};

}  // namespace oshen::bootstrap
