// The meeting point of the PEs of a job: a thread of PE 0. Every PE, PE 0 too, has one stream to it.
//
// It collects what the PEs gather and gives it to all, passes on that the job ends, and notices who is gone: a stream
// that closes before its PE was finalized, or whose host answers no more.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/status.hpp"
#include "boot/hub_address.hpp"
#include "boot/job_page.hpp"
#include "boot/wire.hpp"

namespace oshen::boot {

class hub {
 public:
  unsigned warn_seconds = 30;
  unsigned abort_seconds = 0;

  // Listens and starts; `mine.port` and `mine.local` are filled. `own_end` becomes PE 0's end of its stream.
  status open(hub_address& mine, int n_pes, int& own_end);
  // Returns when everything that was to be sent is with the kernel, or after `milliseconds`.
  void drain(int milliseconds);
  // In a child made by fork(): the streams are not its own.
  void close_in_child();

 private:
  struct member;
  struct stranger;

  static void run(void* self);
  void serve();
  void welcome(int listener);
  void hear(stranger& who);
  void admit(stranger& who);
  void read_from(int pe);
  void take_header(int pe);
  void complete_part();
  void write_to(int pe);
  void gone(int pe);
  void announce(const wire::header& what, const char* host);
  void watch_late();
  bool busy() const;

  int n_pes_ = 0;
  int n_members_ = 0;
  int listeners_[2] = {-1, -1};
  sip_key secret_{};
  member* members_ = nullptr;
  stranger* strangers_ = nullptr;
  char* parts_ = nullptr;        // header and the parts of this round
  char* result_ = nullptr;       // header and the parts of the last complete round
  std::size_t part_bytes_ = 0;
  int n_parts_ = 0;
  std::uint64_t round_began_ = 0;
  unsigned next_warning_ = 0;
  struct {
    wire::header head;
    char host[64];
  } notice_{};                   // the first one is the only one
  std::atomic<std::uint32_t> idle_{0};
};

}  // namespace oshen::boot
