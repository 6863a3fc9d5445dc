#include "bootstrap/hub.hpp"

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

namespace oshen::bootstrap {
namespace {

constexpr int most_unproved = 64;                  // streams whose handshake is not complete
constexpr std::uint64_t patience_ns = 5000000000;  // for one handshake
constexpr int look_milliseconds = 500;
constexpr std::size_t most_block_bytes = std::size_t{1} << 20;

}  // namespace

struct hub::pe_stream {
  int fd;  // -1: not connected yet, or closed
  pe_state state;
  std::int32_t pid;
  char host[64];
  wire::header header;  // of the message that is being received
  std::size_t head_done, body_done;
  bool in_body, has_block;
  const char* result;  // the result that is being sent; the end notice follows it
  std::size_t result_bytes, result_done, notice_done;
};

struct hub::unproved_stream {
  int fd;  // -1: the entry is free
  std::uint64_t since;
  wire::handshake handshake;
  struct {
    wire::hello hello;
    sip_sum sum;
  } received;
  std::size_t received_bytes;
};

status hub::open(hub_address& mine, int n_pes, int& own_end) {
  n_pes_ = n_pes;
  secret_ = mine.secret;
  streams_ = static_cast<pe_stream*>(calloc(static_cast<std::size_t>(n_pes), sizeof(pe_stream)));
  unproved_ = static_cast<unproved_stream*>(calloc(most_unproved, sizeof(unproved_stream)));
  int pair[2];
  if (streams_ == nullptr || unproved_ == nullptr || !os::stream_pair(pair)) {
    log::error("cannot create the hub of %d PEs: %s", n_pes, strerror(errno));
    return status::no_memory;
  }
  for (int i = 0; i < n_pes; ++i) streams_[i].fd = -1;
  for (int i = 0; i < most_unproved; ++i) unproved_[i].fd = -1;
  listeners_[0] = os::listen_local(mine.local, most_unproved);
  listeners_[1] = os::listen_network(mine.port, most_unproved);
  if (listeners_[1] < 0 && (listeners_[0] < 0 || mine.port != 0)) {
    log::error("PE 0 cannot listen on port %u: %s; choose another (MASTER_PORT, OSHEN_JOB_PORT)", mine.port,
               strerror(errno));
    return status::boot_failed;
  }
  own_end = pair[0];
  streams_[0].fd = pair[1];
  streams_[0].pid = os::own_pid();
  gethostname(streams_[0].host, sizeof streams_[0].host - 1);
  n_connected_ = 1;
  round_began_ = os::now_ns();
  next_warning_ = warn_seconds;
  if (os::start_thread(run, this)) return status::ok;
  log::error("PE 0 cannot start a thread: %s", strerror(errno));
  return status::boot_failed;
}

void hub::run(void* self) { static_cast<hub*>(self)->serve(); }

void hub::serve() {
  const auto most = static_cast<std::size_t>(n_pes_ + most_unproved + 2);
  auto* polled = static_cast<pollfd*>(calloc(most, sizeof(pollfd)));
  if (polled == nullptr) return;
  for (;;) {
    nfds_t n = 0;
    for (int i = 0; i < n_pes_; ++i) {
      const pe_stream& s = streams_[i];
      const bool to_write =
          s.result != nullptr || (end_notice_.header.bytes != 0 && s.notice_done < sizeof end_notice_);
      polled[n++] = {s.fd, static_cast<short>(POLLIN | (to_write ? POLLOUT : 0)), 0};
    }
    for (int i = 0; i < most_unproved; ++i) polled[n++] = {unproved_[i].fd, POLLIN, 0};
    for (const int listener : listeners_) polled[n++] = {n_connected_ < n_pes_ ? listener : -1, POLLIN, 0};
    if (poll(polled, n, look_milliseconds) < 0 && errno != EINTR) return;
    for (int i = 0; i < n_pes_; ++i) {
      if ((polled[i].revents & POLLOUT) != 0) write_to(i);
      if ((polled[i].revents & (POLLIN | POLLHUP | POLLERR)) != 0 && streams_[i].fd == polled[i].fd) read_from(i);
    }
    for (int i = 0; i < most_unproved; ++i)
      if (unproved_[i].fd >= 0) receive_hello(unproved_[i]);
    for (int i = 0; i < 2; ++i)
      if (polled[n - 2 + static_cast<nfds_t>(i)].revents != 0) accept(listeners_[i]);
    warn_of_late();
    if (!busy()) {
      idle_.store(1, std::memory_order_release);
      os::futex_wake_all(idle_);
    }
  }
}

// ---- connections ------------------------------------------------------------------------------------------

void hub::accept(int listener) {
  const int fd = os::accept_stream(listener);
  if (fd < 0) return;
  for (int i = 0; i < most_unproved; ++i) {
    unproved_stream& s = unproved_[i];
    if (s.fd >= 0) continue;
    s = {};
    s.fd = fd;
    s.since = os::now_ns();
    sip_sum& nonce = s.handshake.hub_nonce;
    if (os::random_bytes(&nonce, sizeof nonce) && os::send_some(fd, &nonce, sizeof nonce) == sizeof nonce) return;
    s.fd = -1;
    break;
  }
  close(fd);  // a PE connects again
}

void hub::receive_hello(unproved_stream& s) {
  const std::ptrdiff_t got = os::receive_some(s.fd, reinterpret_cast<char*>(&s.received) + s.received_bytes,
                                              sizeof s.received - s.received_bytes);
  if (got > 0) s.received_bytes += static_cast<std::size_t>(got);
  if (s.received_bytes == sizeof s.received) return admit(s);
  if (got >= 0 && os::now_ns() - s.since < patience_ns) return;
  close(s.fd);
  s.fd = -1;
}

void hub::admit(unproved_stream& s) {
  const int fd = s.fd;
  s.fd = -1;
  s.handshake.pe_hello = s.received.hello;
  const wire::hello& from = s.received.hello;
  const bool proved = same_sum(s.received.sum, wire::sum_of_pe(secret_, s.handshake)) &&
                      memcmp(from.protocol_name, wire::protocol_name, sizeof wire::protocol_name) == 0;
  if (proved && (from.n_pes != n_pes_ || from.pe <= 0 || from.pe >= n_pes_ || streams_[from.pe].fd >= 0)) {
    log::error(
        "a process on %.63s claims to be PE %d of %d: expected a PE of %d that is not connected yet; are two jobs "
        "started with the same port and secret?",
        from.host, from.pe, from.n_pes, n_pes_);
    close(fd);
    return;
  }
  const sip_sum reply = wire::sum_of_hub(secret_, s.handshake);
  if (!proved || os::send_some(fd, &reply, sizeof reply) != sizeof reply) {
    close(fd);
    return;
  }
  os::watch_stream(fd, wire::lost_after_seconds);
  pe_stream& pe = streams_[from.pe];
  pe.fd = fd;
  pe.pid = from.pid;
  memcpy(pe.host, from.host, sizeof pe.host);
  pe.host[sizeof pe.host - 1] = '\0';
  if (++n_connected_ < n_pes_) return;
  for (int& listener : listeners_) {
    if (listener >= 0) close(listener);
    listener = -1;
  }
}

// ---- messages ---------------------------------------------------------------------------------------------

void hub::read_from(int pe) {
  pe_stream& s = streams_[pe];
  for (;;) {
    char* to = s.in_body ? gathered_ + sizeof(wire::header) + static_cast<std::size_t>(pe) * block_bytes_ + s.body_done
                         : reinterpret_cast<char*>(&s.header) + s.head_done;
    const std::size_t wanted = s.in_body ? block_bytes_ - s.body_done : sizeof s.header - s.head_done;
    const std::ptrdiff_t got = wanted == 0 ? 0 : os::receive_some(s.fd, to, wanted);
    if (got < 0) return lose(pe);
    if (got == 0 && wanted != 0) return;
    (s.in_body ? s.body_done : s.head_done) += static_cast<std::size_t>(got);
    if (static_cast<std::size_t>(got) != wanted) continue;
    if (s.in_body) {
      s.in_body = false;
      s.head_done = 0;
      s.has_block = true;
      complete_block();
    } else {
      take_header(pe);
      if (s.fd < 0) return;
    }
  }
}

void hub::take_header(int pe) {
  pe_stream& s = streams_[pe];
  s.head_done = 0;
  if (s.header.kind == wire::message_kind::state) s.state = static_cast<pe_state>(s.header.value);
  if (s.header.kind == wire::message_kind::end) {
    s.header.pe = pe;
    announce(s.header, s.host);
  }
  if (s.header.kind != wire::message_kind::gather) return;
  const std::size_t bytes = static_cast<std::size_t>(s.header.bytes);
  if (n_blocks_ == 0 && gathered_ == nullptr && bytes <= most_block_bytes) {
    block_bytes_ = bytes;
    gathered_ = static_cast<char*>(malloc(sizeof(wire::header) + static_cast<std::size_t>(n_pes_) * bytes));
    round_began_ = os::now_ns();
    next_warning_ = warn_seconds;
  }
  if (gathered_ == nullptr || bytes != block_bytes_ || s.has_block) {
    log::error("PE %d on %s gathers %zu bytes, but other PEs gather %zu: are the PEs of different releases?", pe,
               s.host, bytes, block_bytes_);
    return lose(pe);
  }
  s.in_body = true;
  s.body_done = 0;
  for (int i = 0; i < n_pes_; ++i)  // this round needs a PE that has left after shmem_finalize
    if (streams_[i].fd < 0 && n_connected_ == n_pes_) return lose(i);
}

// With the last block of a round, sends all blocks to every PE. A PE begins a round only after it has received the
// result of the one before, so that result has been sent when this round is complete.
void hub::complete_block() {
  if (++n_blocks_ < n_pes_) return;
  free(result_);
  result_ = gathered_;
  gathered_ = nullptr;
  n_blocks_ = 0;
  const std::size_t bytes = static_cast<std::size_t>(n_pes_) * block_bytes_;
  const wire::header head{wire::message_kind::gather, 0, 0, 0, bytes};
  memcpy(result_, &head, sizeof head);
  idle_.store(0, std::memory_order_relaxed);
  for (int i = n_pes_ - 1; i >= 0; --i) {  // PE 0 is last: it may end as soon as it has the result
    pe_stream& s = streams_[i];
    s.has_block = false;
    s.result = result_;
    s.result_bytes = sizeof head + bytes;
    s.result_done = 0;
    write_to(i);
  }
}

void hub::write_to(int pe) {
  pe_stream& s = streams_[pe];
  if (s.fd < 0) return;
  if (s.result != nullptr) {
    const std::ptrdiff_t sent = os::send_some(s.fd, s.result + s.result_done, s.result_bytes - s.result_done);
    if (sent < 0) return lose(pe);
    s.result_done += static_cast<std::size_t>(sent);
    if (s.result_done < s.result_bytes) return;
    s.result = nullptr;
  }
  if (end_notice_.header.bytes == 0 || s.notice_done == sizeof end_notice_) return;
  const std::ptrdiff_t sent =
      os::send_some(s.fd, reinterpret_cast<char*>(&end_notice_) + s.notice_done, sizeof end_notice_ - s.notice_done);
  if (sent < 0) return lose(pe);
  s.notice_done += static_cast<std::size_t>(sent);
}

// ---- the end ----------------------------------------------------------------------------------------------

// Closes the stream of a PE. Ends the job unless the PE was finalized.
void hub::lose(int pe) {
  pe_stream& s = streams_[pe];
  const int why = errno;
  if (s.fd >= 0) close(s.fd);
  const bool was_connected = s.fd >= 0;
  s.fd = -1;
  s.result = nullptr;
  if (end_notice_.header.bytes != 0 || (was_connected && s.state == pe_state::finalized && !s.in_body)) return;
  const bool host_is_silent = was_connected && (why == ETIMEDOUT || why == EHOSTUNREACH || why == ENETUNREACH);
  log::error("PE %d (pid %d on %s) %s; ending the job", pe, s.pid, s.host,
             host_is_silent ? "is lost: its host does not answer" : "ended without shmem_finalize");
  announce({wire::message_kind::lost, pe, 1, 0, 0}, s.host);
}

// Tells all PEs that the job ends. Only the first reason is sent.
void hub::announce(const wire::header& head, const char* host) {
  if (end_notice_.header.bytes != 0) return;
  end_notice_.header = head;
  end_notice_.header.bytes = sizeof end_notice_.host;
  memcpy(end_notice_.host, host, sizeof end_notice_.host);
  idle_.store(0, std::memory_order_relaxed);
  for (int i = n_pes_ - 1; i >= 0; --i) write_to(i);
}

// ---- waiting ----------------------------------------------------------------------------------------------

bool hub::busy() const {
  for (int i = 0; i < n_pes_; ++i) {
    const pe_stream& s = streams_[i];
    if (s.fd < 0) continue;
    if (s.result != nullptr || (end_notice_.header.bytes != 0 && s.notice_done < sizeof end_notice_)) return true;
  }
  return false;
}

// Prints a warning, or ends the job, if a round waits too long for a PE.
void hub::warn_of_late() {
  const bool in_round = n_connected_ < n_pes_ || gathered_ != nullptr;
  if (!in_round || end_notice_.header.bytes != 0) return;
  const auto waited = static_cast<unsigned>((os::now_ns() - round_began_) / 1000000000u);
  const bool warn = next_warning_ != 0 && waited >= next_warning_;
  const bool abort = abort_seconds != 0 && waited >= abort_seconds;
  if (!warn && !abort) return;
  next_warning_ *= 2;
  int late = -1, n_late = 0;
  for (int i = n_pes_ - 1; i >= 0; --i) {
    if (n_connected_ < n_pes_ ? streams_[i].fd >= 0 : streams_[i].has_block) continue;
    late = i;
    ++n_late;
  }
  if (late < 0) return;
  const pe_stream& s = streams_[late];
  const char* routine = streams_[0].state == pe_state::finalized ? "shmem_finalize" : "shmem_init";
  char others[48] = "";
  if (n_late > 1) snprintf(others, sizeof others, " and %d more PEs", n_late - 1);
  log::error("%s: waiting for PE %d%s%s%s, for %u s now%s", routine, late, *s.host != '\0' ? " on " : "", s.host,
             others, waited, abort ? " (OSHEN_WAIT_ABORT); ending the job" : "");
  if (abort) announce({wire::message_kind::lost, late, 1, 0, 0}, s.host);
}

void hub::drain(int milliseconds) {
  const std::uint64_t until = os::now_ns() + static_cast<std::uint64_t>(milliseconds) * 1000000u;
  while (idle_.load(std::memory_order_acquire) == 0 && os::now_ns() < until) os::futex_wait(idle_, 0, 100000000);
}

void hub::close_in_child() {
  for (int i = 0; i < n_pes_ && streams_ != nullptr; ++i)
    if (streams_[i].fd >= 0) close(streams_[i].fd);
  for (const int listener : listeners_)
    if (listener >= 0) close(listener);
}

}  // namespace oshen::bootstrap
