// The hub of a job: a thread of PE 0 to which every PE, including PE 0, has one stream.
//
// The hub gathers and distributes data, forwards the end of the job, and reports PEs that are missing (never connected)
// or lost (their stream closed before finalize, or their host does not answer).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/status.hpp"
#include "bootstrap/job_page.hpp"
#include "bootstrap/wire.hpp"

namespace oshen::bootstrap {

class hub {
 public:
  unsigned warn_seconds = 30;
  unsigned abort_seconds = 0;

  // Listens, and starts the thread. Sets `mine.port` and `mine.local`. `own_end` becomes PE 0's end of its stream.
  status open(hub_address& mine, int n_pes, int& own_end);
  // Returns when the kernel has taken all data that the hub has to send, or after `milliseconds`.
  void drain(int milliseconds);
  // Closes the streams in a child made by fork(), which is not a PE.
  void close_in_child();

 private:
  struct pe_stream;
  struct unproved_stream;

  static void run(void* self);
  void serve();
  void accept(int listener);
  void receive_hello(unproved_stream& s);
  void admit(unproved_stream& s);
  void read_from(int pe);
  void take_header(int pe);
  void complete_block();
  void write_to(int pe);
  void lose(int pe);
  void announce(const wire::header& head, const char* host);
  void warn_of_late();
  bool busy() const;

  int n_pes_ = 0;
  int n_connected_ = 0;
  int listeners_[2] = {-1, -1};
  sip_key secret_{};
  pe_stream* streams_ = nullptr;
  unproved_stream* unproved_ = nullptr;
  char* gathered_ = nullptr;  // header and the blocks of the current round
  char* result_ = nullptr;    // header and the blocks of the last complete round
  std::size_t block_bytes_ = 0;
  int n_blocks_ = 0;
  std::uint64_t round_began_ = 0;
  unsigned next_warning_ = 0;
  struct {
    wire::header header;
    char host[64];
  } end_notice_{};  // set once
  std::atomic<std::uint32_t> idle_{0};
};

}  // namespace oshen::bootstrap
