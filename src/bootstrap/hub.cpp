#include "bootstrap/hub.hpp"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.hpp"
#include "bootstrap/hub_stream.hpp"
#include "bootstrap/tree.hpp"
#include "os/clock.hpp"
#include "os/descriptors.hpp"
#include "os/futex.hpp"
#include "os/process.hpp"
#include "os/socket.hpp"
#include "os/thread.hpp"

namespace oshen::bootstrap {
namespace {

constexpr int look_milliseconds = 500;
constexpr int look_at_end_milliseconds = 100;
constexpr std::size_t most_block_bytes = std::size_t{1} << 20;
constexpr int spare_descriptors = 16;
constexpr std::size_t handshake_bytes = 2 * sizeof(sip_sum);  // sent to each PE

}  // namespace

status hub::open(hub_address& mine, int n_pes, int& own_end) {
  n_pes_ = n_pes;
  streams_ = static_cast<pe_stream*>(calloc(static_cast<std::size_t>(n_pes), sizeof(pe_stream)));
  kept_descriptors_ = static_cast<int*>(calloc(static_cast<std::size_t>(n_pes + spare_descriptors), sizeof(int)));
  int pair[2];
  if (streams_ == nullptr || kept_descriptors_ == nullptr || !os::stream_pair(pair)) {
    log::error("cannot create the hub of %d PEs: %s", n_pes, strerror(errno));
    return status::no_memory;
  }
  for (int i = 0; i < n_pes; ++i) streams_[i].fd = -1;
  if (!door_.open(mine.secret, mine.local, mine.port)) {
    log::error("PE 0 cannot listen on port %u: %s; choose another (MASTER_PORT, OSHEN_JOB_PORT)", mine.port,
               strerror(errno));
    return status::boot_failed;
  }
  refuses_ = !reserve_streams();
  secret_ = mine.secret;
  streams_[0].in_signer.begin(secret_, {}, wire::stream_direction::to_hub);
  streams_[0].out.begin(secret_, {});
  own_end = pair[0];
  streams_[0].fd = pair[1];
  streams_[0].pid = os::own_pid();
  gethostname(streams_[0].listens_at.host, sizeof streams_[0].listens_at.host - 1);
  n_connected_ = 1;
  round_began_ = os::now_ns();
  next_warning_ = warn_seconds;
  if (os::start_thread(run, this)) return status::ok;
  log::error("PE 0 cannot start a thread: %s", strerror(errno));
  return status::boot_failed;
}

namespace {

[[noreturn]] void give_up() {
  log::error("PE 0 cannot serve its hub: %s; ending the job", strerror(errno));
  os::leave_from_thread(1);
}

}  // namespace

void hub::run(void* self) { static_cast<hub*>(self)->serve(); }

void hub::serve() {
  const auto most = static_cast<std::size_t>(n_pes_ + door::most_polled);
  auto* polled = static_cast<pollfd*>(calloc(most, sizeof(pollfd)));
  if (polled == nullptr) give_up();
  // poll() takes no more entries than the limit of descriptors. A hub that refuses the job has the stream of PE 0 only.
  const int n_streams = refuses_ ? 1 : n_pes_;
  for (;;) {
    for (int i = 0; i < n_streams; ++i) {
      const pe_stream& s = streams_[i];
      polled[i] = {s.fd, static_cast<short>(POLLIN | (s.out.is_empty() ? 0 : POLLOUT)), 0};
    }
    const nfds_t n = static_cast<nfds_t>(n_streams) + door_.watch(polled + n_streams);
    if (poll(polled, n, is_ending() ? look_at_end_milliseconds : look_milliseconds) < 0 && errno != EINTR) give_up();
    for (int i = 0; i < n_streams; ++i) {
      if ((polled[i].revents & POLLOUT) != 0) write_to(i);
      if ((polled[i].revents & (POLLIN | POLLHUP | POLLERR)) != 0 && streams_[i].fd == polled[i].fd) read_from(i);
    }
    for (door::guest one; door_.next(one);) admit(one);
    look_for_late();
    look_for_unread_end();
    if (!busy()) {
      idle_.store(1, std::memory_order_release);
      os::futex_wake_all(idle_);
    }
  }
}

// ---- connections ------------------------------------------------------------------------------------------

// Reserves a descriptor for each PE, and checks that enough are left for connections that are not proved yet.
bool hub::reserve_streams() {
  const long limit = os::allow_descriptors(n_pes_ + door::most_unproved);
  if (os::reserve_descriptors(door_.listener(), kept_descriptors_, n_pes_ - 1 + spare_descriptors)) {
    for (int i = 0; i < spare_descriptors; ++i) close(kept_descriptors_[n_pes_ - 1 + i]);
    return true;
  }
  log::error(
      "shmem_init: PE 0 can open %ld files, which are too few for streams to %d PEs; raise the hard limit (ulimit -Hn) "
      "on its host; ending the job",
      limit, n_pes_);
  return false;
}

void hub::admit(const door::guest& one) {
  const wire::hello& from = one.hello();
  if (from.n_pes != n_pes_ || from.pe <= 0 || from.pe >= n_pes_ || streams_[from.pe].fd >= 0) {
    log::error(
        "a process on %.63s claims to be PE %d of %d: expected a PE of %d that is not connected yet; are two jobs "
        "started with the same port and secret?",
        from.listens_at.host, from.pe, from.n_pes, n_pes_);
    close(one.fd);
    return;
  }
  if (!door_.welcome(one)) {
    close(one.fd);
    return;
  }
  sent_bytes_ += handshake_bytes;
  ++n_connected_;
  if (refuses_) return refuse(one);
  connect(one);
  if (n_connected_ == n_pes_) door_.close_all();
}

void hub::connect(const door::guest& one) {
  pe_stream& s = streams_[one.hello().pe];
  s.fd = os::move_descriptor(one.fd, kept_descriptors_[one.hello().pe - 1]);
  os::watch_stream(s.fd, wire::lost_after_seconds);
  s.in_signer.begin(secret_, one.handshake, wire::stream_direction::to_hub);
  s.out.begin(secret_, one.handshake);
  s.pid = one.hello().pid;
  s.listens_at = one.hello().listens_at;
  s.listens_at.host[sizeof s.listens_at.host - 1] = '\0';
  if (is_ending()) send_notice(one.hello().pe);
}

// Tells the PE that the job ends. PE 0 gets the message last, because it then ends the hub.
void hub::refuse(const door::guest& one) {
  struct {
    wire::header header;
    char host[sizeof end_notice_.host];
  } notice{{wire::message_kind::lost, 0, 1, 0, sizeof notice.host}, {}};
  notice.header.body = wire::sum_of_body(secret_, notice.host, sizeof notice.host);
  wire::signer to_pe;
  to_pe.begin(secret_, one.handshake, wire::stream_direction::to_pe);
  to_pe.sign(notice.header);
  (void)os::send_some(one.fd, &notice, sizeof notice);
  close(one.fd);
  if (n_connected_ == n_pes_) announce({wire::message_kind::lost, 0, 1, 0, 0}, streams_[0].listens_at.host);
}

// ---- messages ---------------------------------------------------------------------------------------------

void hub::read_from(int pe) {
  pe_stream& s = streams_[pe];
  for (;;) {
    char* to = s.in_body ? gathered_ + static_cast<std::size_t>(pe) * block_bytes_ + s.body_done
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
      const char* block = gathered_ + static_cast<std::size_t>(pe) * block_bytes_;
      if (!same_sum(s.header.body, wire::sum_of_body(secret_, block, block_bytes_))) return reject(pe);
      s.has_block = true;
      complete_block();
      if (s.fd < 0) return;
    } else {
      take_header(pe);
      if (s.fd < 0) return;
    }
  }
}

void hub::take_header(int pe) {
  pe_stream& s = streams_[pe];
  s.head_done = 0;
  if (!s.in_signer.check(s.header)) return reject(pe);
  if (s.header.kind == wire::message_kind::state) s.state = static_cast<pe_state>(s.header.value);
  if (s.header.kind == wire::message_kind::end) {
    s.header.pe = pe;
    announce(s.header, s.listens_at.host);
  }
  if (s.header.kind == wire::message_kind::orphan) send_missed(pe);
  if (s.header.kind == wire::message_kind::overdue) answer_overdue(pe);
  if (s.header.kind == wire::message_kind::gather) take_block_header(pe);
}

// Called when the PE's parent has left. Sends the last complete result to the PE, if the PE has not received it.
void hub::send_missed(int pe) {
  pe_stream& s = streams_[pe];
  const bool misses_last = s.has_parent && !s.has_block && result_ != nullptr;
  s.has_parent = false;
  if (!misses_last) return;
  send_result(pe, result_, result_bytes_, sum_of_result_);
}

// Called when the PE has waited long for its parent. Tells the PE if the round that it waits for is complete. The first
// round has no number, because its result does not come from a parent. The PE gets no result before it has read the
// reply, so the outbox has room for the end notice.
void hub::answer_overdue(int pe) {
  pe_stream& s = streams_[pe];
  const bool is_complete = n_rounds_ > static_cast<std::uint64_t>(s.header.value) + 1;
  if (!is_complete || is_ending() || !s.out.is_empty()) return;
  idle_.store(0, std::memory_order_relaxed);
  static_cast<void>(s.out.add({wire::message_kind::overdue, pe, s.header.value, 0, 0}, nullptr));
  sent_bytes_ += sizeof(wire::header);
  write_to(pe);
}

// Ends the job because a PE does not follow the protocol. The hub would otherwise free a result that it still sends.
void hub::refuse_early_block(int pe) {
  log::error("PE %d on %s gathers before it has read its last result: are the PEs of different releases?", pe,
             streams_[pe].listens_at.host);
  announce({wire::message_kind::lost, pe, 1, 0, 0}, streams_[pe].listens_at.host);
  if (streams_[pe].fd >= 0) lose(pe);
}

void hub::take_block_header(int pe) {
  pe_stream& s = streams_[pe];
  if (!s.out.is_empty() && !is_ending()) return refuse_early_block(pe);
  s.has_parent = s.header.flag != 0;
  const std::size_t bytes = static_cast<std::size_t>(s.header.bytes);
  if (n_blocks_ == 0 && gathered_ == nullptr && bytes <= most_block_bytes) {
    block_bytes_ = bytes;
    gathered_ =
        static_cast<char*>(malloc(static_cast<std::size_t>(n_pes_) * bytes + 1));  // not null if there are no bytes
    round_began_ = os::now_ns();
    next_warning_ = warn_seconds;
  }
  if (gathered_ == nullptr || bytes != block_bytes_ || s.has_block) {
    log::error("PE %d on %s gathers %zu bytes, but other PEs gather %zu: are the PEs of different releases?", pe,
               s.listens_at.host, bytes, block_bytes_);
    return lose(pe);
  }
  s.in_body = true;
  s.body_done = 0;
  for (int i = 0; i < n_pes_; ++i)  // this round needs a PE that has left after shmem_finalize
    if (streams_[i].fd < 0 && n_connected_ == n_pes_) return lose(i);
}

// With the last block of a round, sends all blocks to the PEs that have no parent. A PE begins a round only after it
// has received the result of the previous round (take_block_header). So that result has been sent, and may be freed,
// when this round is complete. No round completes after the end has been announced.
void hub::complete_block() {
  if (++n_blocks_ < n_pes_ || is_ending()) return;
  free(result_);
  result_ = gathered_;
  gathered_ = nullptr;
  n_blocks_ = 0;
  round_began_ = os::now_ns();  // from now on the hub waits until the PEs read the result
  next_warning_ = warn_seconds;
  result_bytes_ = static_cast<std::size_t>(n_pes_) * block_bytes_;
  sum_of_result_ = wire::sum_of_body(secret_, result_, result_bytes_);
  idle_.store(0, std::memory_order_relaxed);
  const bool first = n_rounds_++ == 0;
  if (first && !refer()) return;
  for (int i = n_pes_ - 1; i >= 0; --i) {  // PE 0 is last: it may end as soon as it has the result
    streams_[i].has_block = false;
    if (first)
      send_result(i, reinterpret_cast<const char*>(&referrals_[i]), sizeof(wire::referral),
                  wire::sum_of_body(secret_, &referrals_[i], sizeof(wire::referral)));
    else if (!streams_[i].has_parent)
      send_result(i, result_, result_bytes_, sum_of_result_);
  }
  log::debug("hub: round %llu: %zu bytes of each PE; PE 0 has sent %zu bytes",
             static_cast<unsigned long long>(n_rounds_), block_bytes_, sent_bytes_);
}

// The outbox of a PE never holds more than a result, and the end notice behind it. A PE takes part in no round before
// it has taken the previous result (take_block_header). A job that ends needs no results.
void hub::send_result(int pe, const char* result, std::size_t bytes, const sip_sum& sum) {
  pe_stream& s = streams_[pe];
  if (s.fd < 0 || is_ending()) return;
  idle_.store(0, std::memory_order_relaxed);
  static_cast<void>(s.out.add({wire::message_kind::gather, 0, 0, 0, bytes, sum, {}}, result));
  sent_bytes_ += sizeof(wire::header) + bytes;
  write_to(pe);
}

// Plans the tree by the names of the hosts, and prepares the result of the first round. Children of PE 0 get their
// results from the hub.
bool hub::refer() {
  const auto n = static_cast<std::size_t>(n_pes_);
  referrals_ = static_cast<wire::referral*>(calloc(n, sizeof(wire::referral)));
  auto* hosts = static_cast<int*>(calloc(3 * n, sizeof(int)));
  int* firsts = hosts + n;
  int* parents = firsts + n;
  int n_hosts = 0;
  for (int i = 0; hosts != nullptr && i < n_pes_; ++i) {
    int host = i > 0 && strcmp(streams_[i].listens_at.host, streams_[i - 1].listens_at.host) == 0 ? hosts[i - 1] : 0;
    while (host < n_hosts && strcmp(streams_[i].listens_at.host, streams_[firsts[host]].listens_at.host) != 0) ++host;
    if (host == n_hosts) firsts[n_hosts++] = i;
    hosts[i] = host;
  }
  const bool planned = referrals_ != nullptr && hosts != nullptr && plan_tree(hosts, n_pes_, parents);
  for (int i = 0; planned && i < n_pes_; ++i) {
    const int parent = parents[i] > 0 ? parents[i] : -1;
    referrals_[i].parent = parent;
    if (parent < 0) continue;
    referrals_[i].listens_at = streams_[parent].listens_at;
    ++referrals_[parent].n_children;
  }
  free(hosts);
  if (planned) return true;
  log::error("cannot create the hub of %d PEs: %s", n_pes_, strerror(ENOMEM));
  announce({wire::message_kind::lost, 0, 1, 0, 0}, streams_[0].listens_at.host);
  return false;
}

void hub::write_to(int pe) {
  if (streams_[pe].fd >= 0 && !streams_[pe].out.send(streams_[pe].fd)) lose(pe);
}

// ---- the end ----------------------------------------------------------------------------------------------

// Closes the stream of a PE. Ends the job unless the PE was finalized.
void hub::lose(int pe) {
  pe_stream& s = streams_[pe];
  const int why = errno;
  if (s.fd >= 0) close(s.fd);
  const bool was_connected = s.fd >= 0;
  s.fd = -1;
  s.out.clear();
  const bool is_awaited = gathered_ != nullptr && !s.has_block;  // by a round that has begun
  if (is_ending() || (was_connected && s.state == pe_state::finalized && !is_awaited)) return;
  const bool host_is_silent = was_connected && (why == ETIMEDOUT || why == EHOSTUNREACH || why == ENETUNREACH);
  if (host_is_silent)
    report_silent_host(pe);
  else
    log::error("PE %d (pid %d on %s) ended without shmem_finalize; ending the job", pe, s.pid, s.listens_at.host);
  announce({wire::message_kind::lost, pe, 1, 0, 0}, s.listens_at.host);
}

void hub::report_silent_host(int pe) const {
  const pe_stream& s = streams_[pe];
  char on_host[160];
  const auto is_there = [&](int other) { return strcmp(streams_[other].listens_at.host, s.listens_at.host) == 0; };
  list_pes(n_pes_, is_there, on_host, sizeof on_host);
  log::error("PE %d (pid %d on %s) is lost: its host does not answer (%s); ending the job", pe, s.pid,
             s.listens_at.host, on_host);
}

// Ends the job because a message of the PE is not as the PE has sent it.
void hub::reject(int pe) {
  pe_stream& s = streams_[pe];
  log::error(
      "the stream from PE %d (pid %d on %s) to PE 0 was changed on the way: a message is not authentic, is missing or "
      "came twice; ending the job",
      pe, s.pid, s.listens_at.host);
  announce({wire::message_kind::lost, pe, 1, 0, 0}, s.listens_at.host);
  if (s.fd >= 0) lose(pe);
}

// Tells all PEs that the job ends. Only the first reason is sent.
void hub::announce(const wire::header& head, const char* host) {
  if (is_ending()) return;
  end_notice_.header = head;
  end_notice_.header.bytes = sizeof end_notice_.host;
  memcpy(end_notice_.host, host, sizeof end_notice_.host);
  end_notice_.header.body = wire::sum_of_body(secret_, end_notice_.host, sizeof end_notice_.host);
  end_began_ = os::now_ns();
  idle_.store(0, std::memory_order_relaxed);
  for (int i = n_pes_ - 1; i >= 0; --i) send_notice(i);
}

void hub::send_notice(int pe) {
  pe_stream& s = streams_[pe];
  if (s.fd < 0) return;
  static_cast<void>(s.out.add(end_notice_.header, end_notice_.host));  // there is room (send_result)
  write_to(pe);
}

void hub::drain(int milliseconds) {
  const std::uint64_t until = os::now_ns() + static_cast<std::uint64_t>(milliseconds) * 1000000u;
  while (idle_.load(std::memory_order_acquire) == 0 && os::now_ns() < until) os::futex_wait(idle_, 0, 100000000);
}

bool hub::busy() const {
  for (int i = 0; i < n_pes_; ++i)
    if (!streams_[i].out.is_empty()) return true;
  return false;
}

void hub::close_in_child() {
  for (int i = 0; i < n_pes_ && streams_ != nullptr; ++i)
    if (streams_[i].fd >= 0) close(streams_[i].fd);
  for (int i = 0; i < n_pes_ - 1 && door_.is_open() && !refuses_; ++i) close(kept_descriptors_[i]);
  door_.close_in_child();
}

}  // namespace oshen::bootstrap
