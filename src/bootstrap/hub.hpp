// The hub of a job: a thread of PE 0 to which every PE, including PE 0, has one stream.
//
// The hub gathers data and sends the results to its children in the tree (tree.hpp), which forward them. It forwards
// the end of the job, and reports PEs that are missing (never connected) or lost (their stream closed before finalize,
// or their host does not answer).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/status.hpp"
#include "bootstrap/door.hpp"
#include "bootstrap/job_page.hpp"
#include "bootstrap/wire.hpp"

namespace oshen::bootstrap {

class hub {
 public:
  unsigned warn_seconds = 30;
  unsigned abort_seconds = 0;
  unsigned start_seconds = 0;
  // For a PE to read the notice that the job ends; less than the time for which PE 0 drains the hub.
  unsigned read_end_milliseconds = 800;

  // Listens, and starts the thread. Sets `mine.port` and `mine.local`. `own_end` becomes PE 0's end of its stream.
  status open(hub_address& mine, int n_pes, int& own_end);
  // Returns when the kernel has taken all data that the hub has to send, or after `milliseconds`.
  void drain(int milliseconds);
  // Closes the streams in a child made by fork(), which is not a PE.
  void close_in_child();

 private:
  struct pe_stream;

  static void run(void* self);
  void serve();
  bool reserve_streams();
  void admit(const door::guest& one);
  void connect(const door::guest& one);
  void refuse(const door::guest& one);
  void read_from(int pe);
  void take_header(int pe);
  void take_block_header(int pe);
  void refuse_early_block(int pe);
  void send_missed(int pe);
  void answer_overdue(int pe);
  void complete_block();
  bool refer();
  void send_result(int pe, const char* result, std::size_t bytes, const sip_sum& sum);
  void reject(int pe);
  void write_to(int pe);
  void lose(int pe);
  void report_silent_host(int pe) const;
  void announce(const wire::header& head, const char* host);
  void send_notice(int pe);
  bool is_ending() const { return end_notice_.header.bytes != 0; }
  void look_for_late();
  void look_for_unread_end();
  void warn_of_late(unsigned waited, bool abort);
  void end_start(unsigned waited);
  bool is_late(int pe) const;
  bool busy() const;

  int n_pes_ = 0;
  int n_connected_ = 0;
  bool refuses_ = false;  // there are too few descriptors for the job
  door door_;
  sip_key secret_{};  // of the job
  pe_stream* streams_ = nullptr;
  int* kept_descriptors_ = nullptr;      // descriptors for the streams of PEs 1 ..
  wire::referral* referrals_ = nullptr;  // the results of the first round
  char* gathered_ = nullptr;             // the blocks of the current round
  char* result_ = nullptr;               // the blocks of the last complete round
  sip_sum sum_of_result_{};
  std::size_t block_bytes_ = 0;
  std::size_t result_bytes_ = 0;
  int n_blocks_ = 0;
  std::uint64_t n_rounds_ = 0;
  std::size_t sent_bytes_ = 0;  // by PE 0 to all PEs
  std::uint64_t round_began_ = 0;
  unsigned next_warning_ = 0;
  struct {
    wire::header header;
    char host[64];
  } end_notice_{};  // set once
  std::uint64_t end_began_ = 0;
  std::atomic<std::uint32_t> idle_{0};
};

}  // namespace oshen::bootstrap
