#include "boot/hub.hpp"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.hpp"
#include "os/clock.hpp"
#include "os/futex.hpp"
#include "os/process.hpp"
#include "os/socket.hpp"
#include "os/thread.hpp"

namespace oshen::boot {
namespace {

constexpr int most_strangers = 64;                      // streams that have not yet proved anything
constexpr std::uint64_t patience_ns = 5000000000;       // with one of them
constexpr int look_milliseconds = 500;
constexpr std::size_t most_part_bytes = std::size_t{1} << 20;

}  // namespace

struct hub::member {
  int fd;                     // -1: not yet here, or gone
  pe_state state;
  std::int32_t pid;
  char host[64];
  wire::header head;          // being read
  std::size_t head_done, body_done;
  bool in_body, has_part;
  const char* out;            // being written: a result; then the notice
  std::size_t out_bytes, out_done, notice_done;
};

struct hub::stranger {
  int fd;  // -1: free
  std::uint64_t since;
  wire::proof claim;
  struct {
    wire::greeting from;
    sip_sum sum;
  } said;
  std::size_t heard;
};

status hub::open(hub_address& mine, int n_pes, int& own_end) {
  n_pes_ = n_pes;
  secret_ = mine.secret;
  members_ = static_cast<member*>(calloc(static_cast<std::size_t>(n_pes), sizeof(member)));
  strangers_ = static_cast<stranger*>(calloc(most_strangers, sizeof(stranger)));
  int pair[2];
  if (members_ == nullptr || strangers_ == nullptr || !os::stream_pair(pair)) {
    log::error("cannot make the meeting point of %d PEs: %s", n_pes, strerror(errno));
    return status::no_memory;
  }
  for (int i = 0; i < n_pes; ++i) members_[i].fd = -1;
  for (int i = 0; i < most_strangers; ++i) strangers_[i].fd = -1;
  listeners_[0] = os::listen_local(mine.local, most_strangers);
  listeners_[1] = os::listen_network(mine.port, most_strangers);
  if (listeners_[1] < 0 && (listeners_[0] < 0 || mine.port != 0)) {
    log::error("PE 0 cannot listen on port %u: %s; choose another (MASTER_PORT, OSHEN_JOB_PORT)", mine.port,
               strerror(errno));
    return status::boot_failed;
  }
  own_end = pair[0];
  members_[0].fd = pair[1];
  members_[0].pid = os::own_pid();
  gethostname(members_[0].host, sizeof members_[0].host - 1);
  n_members_ = 1;
  round_began_ = os::now_ns();
  next_warning_ = warn_seconds;
  if (os::start_thread(run, this)) return status::ok;
  log::error("PE 0 cannot start a thread: %s", strerror(errno));
  return status::boot_failed;
}

void hub::run(void* self) { static_cast<hub*>(self)->serve(); }

void hub::serve() {
  const auto most = static_cast<std::size_t>(n_pes_ + most_strangers + 2);
  auto* polled = static_cast<pollfd*>(calloc(most, sizeof(pollfd)));
  if (polled == nullptr) return;
  for (;;) {
    nfds_t n = 0;
    for (int i = 0; i < n_pes_; ++i) {
      const member& m = members_[i];
      const bool to_write = m.out != nullptr || (notice_.head.bytes != 0 && m.notice_done < sizeof notice_);
      polled[n++] = {m.fd, static_cast<short>(POLLIN | (to_write ? POLLOUT : 0)), 0};
    }
    for (int i = 0; i < most_strangers; ++i) polled[n++] = {strangers_[i].fd, POLLIN, 0};
    for (const int listener : listeners_) polled[n++] = {n_members_ < n_pes_ ? listener : -1, POLLIN, 0};
    if (poll(polled, n, look_milliseconds) < 0 && errno != EINTR) return;
    for (int i = 0; i < n_pes_; ++i) {
      if ((polled[i].revents & POLLOUT) != 0) write_to(i);
      if ((polled[i].revents & (POLLIN | POLLHUP | POLLERR)) != 0 && members_[i].fd == polled[i].fd) read_from(i);
    }
    for (int i = 0; i < most_strangers; ++i)
      if (strangers_[i].fd >= 0) hear(strangers_[i]);
    for (int i = 0; i < 2; ++i)
      if (polled[n - 2 + static_cast<nfds_t>(i)].revents != 0) welcome(listeners_[i]);
    watch_late();
    if (!busy()) {
      idle_.store(1, std::memory_order_release);
      os::futex_wake_all(idle_);
    }
  }
}

// ---- who comes --------------------------------------------------------------------------------------------

void hub::welcome(int listener) {
  const int fd = os::accept_stream(listener);
  if (fd < 0) return;
  for (int i = 0; i < most_strangers; ++i) {
    stranger& s = strangers_[i];
    if (s.fd >= 0) continue;
    s = {};
    s.fd = fd;
    s.since = os::now_ns();
    if (os::random_bytes(&s.claim.nonce, sizeof s.claim.nonce) &&
        os::send_some(fd, &s.claim.nonce, sizeof s.claim.nonce) == sizeof s.claim.nonce)
      return;
    s.fd = -1;
    break;
  }
  close(fd);  // it may come again
}

void hub::hear(stranger& who) {
  const std::ptrdiff_t got =
      os::receive_some(who.fd, reinterpret_cast<char*>(&who.said) + who.heard, sizeof who.said - who.heard);
  if (got > 0) who.heard += static_cast<std::size_t>(got);
  if (who.heard == sizeof who.said) return admit(who);
  if (got >= 0 && os::now_ns() - who.since < patience_ns) return;
  close(who.fd);
  who.fd = -1;
}

void hub::admit(stranger& who) {
  const int fd = who.fd;
  who.fd = -1;
  who.claim.from = who.said.from;
  const wire::greeting& from = who.said.from;
  const bool ours = same_sum(who.said.sum, wire::sum_of_pe(secret_, who.claim)) &&
                    memcmp(from.magic, wire::magic, sizeof wire::magic) == 0;
  if (ours && (from.n_pes != n_pes_ || from.pe <= 0 || from.pe >= n_pes_ || members_[from.pe].fd >= 0)) {
    log::error("a process on %.63s says it is PE %d of %d; expected a PE of %d that is not here yet: are two jobs "
               "started with the same port and secret?", from.host, from.pe, from.n_pes, n_pes_);
    close(fd);
    return;
  }
  const sip_sum answer = wire::sum_of_hub(secret_, who.claim);
  if (!ours || os::send_some(fd, &answer, sizeof answer) != sizeof answer) {
    close(fd);
    return;
  }
  os::watch_stream(fd, wire::lost_after_seconds);
  member& m = members_[from.pe];
  m.fd = fd;
  m.pid = from.pid;
  memcpy(m.host, from.host, sizeof m.host);
  m.host[sizeof m.host - 1] = '\0';
  if (++n_members_ < n_pes_) return;
  for (int& listener : listeners_) {
    if (listener >= 0) close(listener);
    listener = -1;
  }
}

// ---- what they say ----------------------------------------------------------------------------------------

void hub::read_from(int pe) {
  member& m = members_[pe];
  for (;;) {
    char* into = m.in_body ? parts_ + sizeof(wire::header) + static_cast<std::size_t>(pe) * part_bytes_ + m.body_done
                           : reinterpret_cast<char*>(&m.head) + m.head_done;
    const std::size_t wanted = m.in_body ? part_bytes_ - m.body_done : sizeof m.head - m.head_done;
    const std::ptrdiff_t got = wanted == 0 ? 0 : os::receive_some(m.fd, into, wanted);
    if (got < 0) return gone(pe);
    if (got == 0 && wanted != 0) return;
    (m.in_body ? m.body_done : m.head_done) += static_cast<std::size_t>(got);
    if (static_cast<std::size_t>(got) != wanted) continue;
    if (m.in_body) {
      m.in_body = false;
      m.head_done = 0;
      m.has_part = true;
      complete_part();
    } else {
      take_header(pe);
      if (m.fd < 0) return;
    }
  }
}

void hub::take_header(int pe) {
  member& m = members_[pe];
  m.head_done = 0;
  if (m.head.what == wire::kind::state) m.state = static_cast<pe_state>(m.head.value);
  if (m.head.what == wire::kind::end) {
    m.head.pe = pe;
    announce(m.head, m.host);
  }
  if (m.head.what != wire::kind::gather) return;
  const std::size_t bytes = static_cast<std::size_t>(m.head.bytes);
  if (n_parts_ == 0 && parts_ == nullptr && bytes <= most_part_bytes) {
    part_bytes_ = bytes;
    parts_ = static_cast<char*>(malloc(sizeof(wire::header) + static_cast<std::size_t>(n_pes_) * bytes));
    round_began_ = os::now_ns();
    next_warning_ = warn_seconds;
  }
  if (parts_ == nullptr || bytes != part_bytes_ || m.has_part) {
    log::error("PE %d on %s passes %zu bytes round where others pass %zu: are the PEs of different releases?", pe,
               m.host, bytes, part_bytes_);
    return gone(pe);
  }
  m.in_body = true;
  m.body_done = 0;
  for (int i = 0; i < n_pes_; ++i)  // somebody who was finalized has left, and is waited for now
    if (members_[i].fd < 0 && n_members_ == n_pes_) return gone(i);
}

// The last part of a round: everybody gets all of them. A PE begins a round after it has received the one before, so
// that one is out when this one is complete.
void hub::complete_part() {
  if (++n_parts_ < n_pes_) return;
  free(result_);
  result_ = parts_;
  parts_ = nullptr;
  n_parts_ = 0;
  const std::size_t bytes = static_cast<std::size_t>(n_pes_) * part_bytes_;
  const wire::header head{wire::kind::gather, 0, 0, 0, bytes};
  memcpy(result_, &head, sizeof head);
  idle_.store(0, std::memory_order_relaxed);
  for (int i = n_pes_ - 1; i >= 0; --i) {  // PE 0 last: it may leave as soon as it has it
    member& m = members_[i];
    m.has_part = false;
    m.out = result_;
    m.out_bytes = sizeof head + bytes;
    m.out_done = 0;
    write_to(i);
  }
}

void hub::write_to(int pe) {
  member& m = members_[pe];
  if (m.fd < 0) return;
  if (m.out != nullptr) {
    const std::ptrdiff_t sent = os::send_some(m.fd, m.out + m.out_done, m.out_bytes - m.out_done);
    if (sent < 0) return gone(pe);
    m.out_done += static_cast<std::size_t>(sent);
    if (m.out_done < m.out_bytes) return;
    m.out = nullptr;
  }
  if (notice_.head.bytes == 0 || m.notice_done == sizeof notice_) return;
  const std::ptrdiff_t sent =
      os::send_some(m.fd, reinterpret_cast<char*>(&notice_) + m.notice_done, sizeof notice_ - m.notice_done);
  if (sent < 0) return gone(pe);
  m.notice_done += static_cast<std::size_t>(sent);
}

// ---- the end ----------------------------------------------------------------------------------------------

void hub::gone(int pe) {
  member& m = members_[pe];
  const int why = errno;
  if (m.fd >= 0) close(m.fd);
  const bool was_here = m.fd >= 0;
  m.fd = -1;
  m.out = nullptr;
  if (notice_.head.bytes != 0 || (was_here && m.state == pe_state::finalized && !m.in_body)) return;
  const bool host_is_silent = was_here && (why == ETIMEDOUT || why == EHOSTUNREACH || why == ENETUNREACH);
  log::error("PE %d (pid %d on %s) %s; ending the job", pe, m.pid, m.host,
             host_is_silent ? "is lost: its host does not answer" : "ended without shmem_finalize");
  announce({wire::kind::lost, pe, 1, 0, 0}, m.host);
}

void hub::announce(const wire::header& what, const char* host) {
  if (notice_.head.bytes != 0) return;
  notice_.head = what;
  notice_.head.bytes = sizeof notice_.host;
  memcpy(notice_.host, host, sizeof notice_.host);
  idle_.store(0, std::memory_order_relaxed);
  for (int i = n_pes_ - 1; i >= 0; --i) write_to(i);
}

// ---- waiting ----------------------------------------------------------------------------------------------

bool hub::busy() const {
  for (int i = 0; i < n_pes_; ++i) {
    const member& m = members_[i];
    if (m.fd >= 0 && (m.out != nullptr || (notice_.head.bytes != 0 && m.notice_done < sizeof notice_))) return true;
  }
  return false;
}

// A meeting for which somebody does not come says so.
void hub::watch_late() {
  const bool meeting = n_members_ < n_pes_ || parts_ != nullptr;
  if (!meeting || notice_.head.bytes != 0) return;
  const auto waited = static_cast<unsigned>((os::now_ns() - round_began_) / 1000000000u);
  const bool warn = next_warning_ != 0 && waited >= next_warning_;
  const bool abort = abort_seconds != 0 && waited >= abort_seconds;
  if (!warn && !abort) return;
  next_warning_ *= 2;
  int late = -1, n_late = 0;
  for (int i = n_pes_ - 1; i >= 0; --i) {
    if (n_members_ < n_pes_ ? members_[i].fd >= 0 : members_[i].has_part) continue;
    late = i;
    ++n_late;
  }
  if (late < 0) return;
  const member& m = members_[late];
  const char* routine = members_[0].state == pe_state::finalized ? "shmem_finalize" : "shmem_init";
  char others[48] = "";
  if (n_late > 1) snprintf(others, sizeof others, " and %d more PEs", n_late - 1);
  log::error("%s: waiting for PE %d%s%s%s, for %u s now%s", routine, late, *m.host != '\0' ? " on " : "", m.host,
             others, waited, abort ? " (OSHEN_WAIT_ABORT); ending the job" : "");
  if (abort) announce({wire::kind::lost, late, 1, 0, 0}, m.host);
}

void hub::drain(int milliseconds) {
  const std::uint64_t until = os::now_ns() + static_cast<std::uint64_t>(milliseconds) * 1000000u;
  while (idle_.load(std::memory_order_acquire) == 0 && os::now_ns() < until) os::futex_wait(idle_, 0, 100000000);
}

void hub::close_in_child() {
  for (int i = 0; i < n_pes_ && members_ != nullptr; ++i)
    if (members_[i].fd >= 0) close(members_[i].fd);
  for (const int listener : listeners_)
    if (listener >= 0) close(listener);
}

}  // namespace oshen::boot
