// The single calls of this process, if a timeline was requested: up to a limit, and the number of later calls.
// Protected by the mutex of the profile.
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
  // Keeps up to so many calls and as many messages. Before this call nothing is kept.
  void keep(std::size_t most);

  void add_call(const oshprof_call& call, const void* caller, std::uint64_t began, std::uint64_t ended,
                const oshprof_traffic& moved);

  // A message is sent to a process, or was received from one. Both sides number the messages of an envelope. Messages
  // do not overtake one another, so the n-th message sent matches the n-th receive posted.
  void message_sent(std::uint64_t time, int process, std::uint64_t envelope);
  void message_received(std::uint64_t time, int process, std::uint64_t envelope, std::uint64_t order);
  std::uint64_t next_order() { return ++orders_; }

  // Writes the calls into `folder`; returns the entry for the profile.
  nlohmann::json write(const std::string& folder, const std::string& interface, int process, symbols& names);

 private:
  struct record {
    std::uint64_t began, ended, bytes;
    const oshprof_call* call;
    const void* caller;
    std::uint32_t calls;  // successive tests are one record
    std::int32_t peer;
    std::uint16_t thread;
    bool from;  // from the peer, not to it
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
  std::uint64_t first_unkept_ =
      UINT64_MAX;  // order of the first receive that was not kept; from here on, numbers would differ from the sender's
};

}  // namespace oshprof
