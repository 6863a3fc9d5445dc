// The calls of this process one by one, if a timeline was asked for: as many as it says, and how many came later.
// Under the ledger's mutex.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "record.h"
#include "symbols.hpp"

namespace oshprof {

class timeline {
 public:
  // So many calls and so many messages are kept. Nothing is before this.
  void keep(std::size_t most);

  void note(const oshprof_call& call, const void* caller, std::uint64_t began, std::uint64_t ended,
            const oshprof_traffic& moved);

  // A message leaves for a process, or has come from one. Both ends number the messages of an envelope: they do not
  // overtake one another, so that the n-th that was sent fills the receive that was the n-th to be posted.
  void left(std::uint64_t time, int process, std::uint64_t envelope);
  void came(std::uint64_t time, int process, std::uint64_t envelope, std::uint64_t order);
  std::uint64_t next_order() { return ++orders_; }

  // Writes the calls into `folder`; what the ledger says of them.
  nlohmann::json write(const std::string& folder, const std::string& interface, int process, symbols& names);

 private:
  struct record {
    std::uint64_t began, ended, bytes;
    const oshprof_call* call;
    const void* caller;
    std::uint32_t calls;  // tests in a row are one record
    std::int32_t peer;
    std::uint16_t thread;
    bool from;  // the peer, not to it
  };
  struct message {
    int process;
    std::uint64_t envelope, order, time;
    std::uint16_t thread;
    bool in;
  };
  class writer;

  void keep_message(const message& m);
  int only_source();

  std::size_t most_ = 0;
  std::vector<record> records_;
  std::vector<message> messages_;
  std::uint64_t missing_ = 0, orders_ = 0;
  std::uint64_t first_unkept_ = UINT64_MAX;  // receive: numbers from here on would not be those of the sender
};

}  // namespace oshprof
