#include "boot/wired.hpp"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "base/log.hpp"
#include "base/settings.hpp"
#include "boot/departure.hpp"
#include "os/clock.hpp"
#include "os/futex.hpp"
#include "os/process.hpp"
#include "os/socket.hpp"
#include "os/thread.hpp"

namespace oshen::boot {
namespace {

constexpr int attempt_milliseconds = 2000;       // for one address
constexpr int answer_milliseconds = 5000;        // for the hub to answer
constexpr std::uint64_t again_ns = 50000000;     // between attempts
constexpr std::uint64_t look_every_ns = 100000000;
constexpr std::uint64_t grace_ns = 300000000;    // to a PE that can end by itself, when the job ends
constexpr int drain_milliseconds = 1000;
constexpr int send_milliseconds = 5000;

constinit int stream_of_process = -1;
constinit hub* hub_of_process = nullptr;

// A child made by fork() is no PE: were the stream open in it, the end of its parent would not be seen.
void in_child() {
  if (stream_of_process >= 0) close(stream_of_process);
  if (hub_of_process != nullptr) hub_of_process->close_in_child();
}

const char* wanted_interface() {
  const char* text = setting_text("OSHEN_INTERFACE");
  return text == nullptr || strcmp(text, "auto") == 0 ? nullptr : text;
}

void describe(const hub_address& to, char* text, std::size_t capacity) {
  std::size_t used = 0;
  for (int i = 0; i < to.n_addresses && used + 64 < capacity; ++i) {
    if (i > 0) text[used++] = ' ';
    os::write_address(to.addresses[i], text + used, capacity - used);
    used += strlen(text + used);
  }
  text[used] = '\0';
}

}  // namespace

status wired::join(directory& launcher, const job_rank& mine) {
  if (fd_ >= 0) return status::ok;
  launcher_ = &launcher;
  pe = mine.pe;
  n_pes = mine.n_pes;
  node = mine.node;
  name = launcher.name;
  hub_address of_pe_0{};
  if (const status s = launcher.prepare(of_pe_0); failed(s)) return s;
  if (pe == 0)
    if (const status s = open_hub(of_pe_0); failed(s)) return s;
  if (const status s = launcher.share(of_pe_0, mine); failed(s)) return s;
  memcpy(host_of_pe_0_, of_pe_0.host, sizeof host_of_pe_0_);
  if (pe != 0)
    if (const status s = connect(of_pe_0); failed(s)) return s;
  stream_of_process = fd_;
  if (pe == 0) hub_of_process = &hub_;
  pthread_atfork(nullptr, nullptr, in_child);
  if (!os::start_thread(run, this)) {
    log::error("cannot start a thread: %s", strerror(errno));
    return status::boot_failed;
  }
  if (const status s = barrier(); failed(s)) return s;  // all have met
  launcher.leave();
  return status::ok;
}

status wired::open_hub(hub_address& mine) {
  if (same_sum(mine.secret, sip_key{}) && !os::random_bytes(&mine.secret, sizeof mine.secret)) {
    log::error("the kernel has no random numbers: %s", strerror(errno));
    return status::boot_failed;
  }
  mine.local = sip(mine.secret, "local", 5).word[0];
  mine.n_addresses = static_cast<std::uint16_t>(os::own_addresses(mine.addresses, wanted_interface()));
  gethostname(mine.host, sizeof mine.host - 1);
  hub_.warn_seconds = warn_seconds;
  hub_.abort_seconds = abort_seconds;
  return hub_.open(mine, n_pes, fd_);
}

status wired::connect(const hub_address& to) {
  wire::greeting me{};
  memcpy(me.magic, wire::magic, sizeof me.magic);
  me.pe = pe;
  me.n_pes = n_pes;
  me.pid = os::own_pid();
  gethostname(me.host, sizeof me.host - 1);
  const std::uint64_t began = os::now_ns();
  unsigned next_warning = warn_seconds != 0 ? warn_seconds : 30;
  for (;;) {
    int why = 0;
    for (int i = -1; i < to.n_addresses; ++i) {
      const int fd =
          i < 0 ? os::connect_local(to.local) : os::connect_network(to.addresses[i], to.port, attempt_milliseconds);
      if (fd < 0 && i >= 0) why = errno;
      if (fd < 0) continue;
      if (wire::introduce(fd, to.secret, me, answer_milliseconds)) {
        os::watch_stream(fd, wire::lost_after_seconds);
        fd_ = fd;
        return status::ok;
      }
      close(fd);
      why = EPROTO;
    }
    const auto waited = static_cast<unsigned>((os::now_ns() - began) / 1000000000u);
    if (waited >= next_warning) {
      char where[256];
      describe(to, where, sizeof where);
      log::error("shmem_init: no way to PE 0 at %s, port %u: %s, for %u s now", where, to.port,
                 why == EPROTO ? "it does not answer as a PE of this job" : strerror(why), waited);
      next_warning *= 2;
      if (abort_seconds != 0 && waited >= abort_seconds) return status::boot_failed;
    }
    os::nap(again_ns);
  }
}

bool wired::say(const wire::header& head, const void* body, std::size_t bytes) {
  os::locked hold(speaking_);
  return os::send_all(fd_, &head, sizeof head, send_milliseconds) && os::send_all(fd_, body, bytes, send_milliseconds);
}

status wired::allgather(const void* mine, void* all, std::size_t bytes) {
  const std::uint32_t round = rounds_.load(std::memory_order_relaxed);
  all_ = static_cast<char*>(all);
  all_bytes_ = static_cast<std::size_t>(n_pes) * bytes;
  if (!say({wire::kind::gather, pe, 0, 0, bytes}, mine, bytes)) return status::boot_failed;
  while (rounds_.load(std::memory_order_acquire) == round) {  // pairs with the release in take()
    int exit_status = 0;
    if (job_ending(exit_status)) os::leave_at_once(exit_status);
    os::futex_wait(rounds_, round, look_every_ns);
  }
  if (pe == 0) hub_.drain(drain_milliseconds);
  return status::ok;
}

// ---- what comes from the hub, in a thread of its own ------------------------------------------------------

void wired::run(void* self) { static_cast<wired*>(self)->listen(); }

void wired::listen() {
  for (;;) {
    wire::header head;
    pollfd one{fd_, POLLIN, 0};
    if (poll(&one, 1, -1) < 0 && errno == EINTR) continue;
    if (!os::receive_all(fd_, &head, sizeof head, send_milliseconds) || !take(head)) return alone(errno);
  }
}

bool wired::take(const wire::header& head) {
  if (head.what == wire::kind::gather) {
    if (head.bytes != all_bytes_ || !os::receive_all(fd_, all_, all_bytes_, send_milliseconds)) return false;
    rounds_.fetch_add(1, std::memory_order_release);
    os::futex_wake_all(rounds_);
    return true;
  }
  char host[64];
  if (head.bytes != sizeof host || !os::receive_all(fd_, host, sizeof host, send_milliseconds)) return false;
  // Before any thread can see it and leave: Hydra takes a PE that goes without a departure for a failed one.
  if (head.what == wire::kind::end && head.flag != 0 && !noted_.load(std::memory_order_relaxed)) announce_departure();
  ending_status_ = head.value;
  ending_.store(1, std::memory_order_release);
  os::futex_wake_all(ending_);
  if (noted_.load(std::memory_order_relaxed)) return true;  // the thread that ended the job leaves by itself
  os::nap(grace_ns);
  // The launcher had its chance to end the job with the status of the PE that died.
  if (head.what == wire::kind::lost && pe == 0) launcher_->end_job(head.value);
  if (pe == 0) hub_.drain(drain_milliseconds);
  os::leave_from_thread(head.value);
}

// The stream has ended.
void wired::alone(int why) {
  if (state_.load(std::memory_order_acquire) == pe_state::finalized) return;
  if (ending_.load(std::memory_order_acquire) == 0)
    log::error("PE 0 on %.63s %s; ending this PE", host_of_pe_0_,
               why == ETIMEDOUT || why == EHOSTUNREACH || why == ENETUNREACH ? "is lost: its host does not answer"
                                                                             : "has ended, or closed its stream");
  os::leave_from_thread(1);
}

// ---- the end ----------------------------------------------------------------------------------------------

// The hub tells everybody, this PE too. With an error the launcher is asked as well: it reaches those who are stopped.
void wired::end_job(int exit_status, bool quiet) {
  noted_.store(true, std::memory_order_relaxed);
  if (say({wire::kind::end, pe, exit_status, quiet ? 1u : 0u, 0}, nullptr, 0)) {
    const std::uint64_t until = os::now_ns() + 1000000000u;
    while (ending_.load(std::memory_order_acquire) == 0 && os::now_ns() < until)
      os::futex_wait(ending_, 0, look_every_ns);
  }
  if (pe == 0) hub_.drain(drain_milliseconds);
  if (quiet) return announce_departure();  // so that the launcher lets everybody end with the status that was asked for
  os::nap(grace_ns);                 // what was said is on its way: launchers drop it when they kill
  launcher_->end_job(exit_status);
}

bool wired::job_ending(int& exit_status) {
  if (ending_.load(std::memory_order_acquire) == 0) return false;
  exit_status = ending_status_;
  return true;
}

void wired::set_state(pe_state state) {
  state_.store(state, std::memory_order_release);
  if (state == pe_state::finalized) announce_departure();
  if (fd_ >= 0) (void)say({wire::kind::state, pe, static_cast<std::int32_t>(state), 0, 0}, nullptr, 0);
}

}  // namespace oshen::boot
