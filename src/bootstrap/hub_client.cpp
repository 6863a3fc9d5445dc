#include "bootstrap/hub_client.hpp"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "base/log.hpp"
#include "base/settings.hpp"
#include "bootstrap/job_secret.hpp"
#include "bootstrap/open_managers.hpp"
#include "os/clock.hpp"
#include "os/futex.hpp"
#include "os/process.hpp"
#include "os/socket.hpp"
#include "os/thread.hpp"

namespace oshen::bootstrap {
namespace {

constexpr int attempt_milliseconds = 2000;    // to connect to one address
constexpr int handshake_milliseconds = 5000;  // for the hub's reply
constexpr std::uint64_t retry_ns = 50000000;  // between attempts
constexpr unsigned route_seconds = 2;         // for a route to PE 0 to appear
constexpr std::uint64_t look_every_ns = 100000000;
constexpr std::uint64_t grace_ns = 300000000;  // time for other threads to end the process when the job ends
constexpr int drain_milliseconds = 1000;
constexpr int listening_milliseconds = 100;  // the longest sleep while children may connect
constexpr int send_milliseconds = 5000;

constinit int stream_of_process = -1;
constinit hub* hub_of_process = nullptr;
constinit const relay* relay_of_process = nullptr;

// A child made by fork() is not a PE. If it kept the stream open, the hub would not see the end of its parent.
void in_child() {
  if (stream_of_process >= 0) close(stream_of_process);
  if (hub_of_process != nullptr) hub_of_process->close_in_child();
  if (relay_of_process != nullptr) relay_of_process->close_in_child();
}

const char* wanted_interface() {
  const char* text = setting_text("OSHEN_INTERFACE");
  return text == nullptr || strcmp(text, "auto") == 0 ? nullptr : text;
}

// The address of OSHEN_TCP_ADDRESS first: other hosts may reach a container or a host behind NAT by it alone.
int list_addresses(os::network_address (&list)[os::most_addresses]) {
  const char* announced = setting_text("OSHEN_TCP_ADDRESS");
  const bool is_announced = announced != nullptr && *announced != '\0' && strcmp(announced, "auto") != 0;
  int n = is_announced ? os::look_up_host(announced, list) : 0;
  os::network_address own[os::most_addresses];
  const int n_own = os::own_addresses(own, wanted_interface());
  for (int i = 0; i < n_own && n < os::most_addresses; ++i) list[n++] = own[i];
  return n;
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

constexpr unsigned usual_patience = 30;  // seconds

unsigned seconds_since(std::uint64_t began) { return static_cast<unsigned>((os::now_ns() - began) / 1000000000u); }

// False, with an error line, if no address of PE 0 has a route.
bool has_route(const hub_address& to, const wire::hello& me) {
  if (to.n_addresses == 0) return true;
  for (int i = 0; i < to.n_addresses; ++i)
    if (os::has_route(to.addresses[i])) return true;
  char where[256];
  describe(to, where, sizeof where);
  log::error(
      "shmem_init: %.63s has no route to PE 0 on %.63s at %s; set OSHEN_INTERFACE on PE 0 to an interface on a network "
      "of all hosts, or MASTER_ADDR to its address there; ending this PE",
      me.listens_at.host, to.host, where);
  return false;
}

}  // namespace

status hub_client::join(process_manager& manager, const job_rank& mine) {
  if (joined_) return status::ok;
  if (manager_ != nullptr) {
    log::error("shmem_init: an earlier start of this process has failed, and cannot be repeated");
    return status::boot_failed;
  }
  manager_ = &manager;
  manager.start_seconds = start_seconds;
  pe = mine.pe;
  n_pes = mine.n_pes;
  node = mine.node;
  name = manager.name;
  hub_address of_pe_0{};
  if (const status s = manager.prepare(of_pe_0); failed(s)) return s;
  if (pe == 0)
    if (const status s = open_hub(of_pe_0); failed(s)) return s;
  if (const status s = manager.share(of_pe_0, mine); failed(s)) return s;
  memcpy(host_of_pe_0_, of_pe_0.host, sizeof host_of_pe_0_);
  secret_ = of_pe_0.secret;
  set_job_secret(sip(secret_, "transport", 9));
  if (pe == 0) {
    to_hub_.begin(secret_, {}, wire::stream_direction::to_hub);
    from_hub_.begin(secret_, {}, wire::stream_direction::to_pe);
  }
  wire::hello me = introduction();
  if (pe != 0) {
    if (!relay_.open(of_pe_0.secret, me.listens_at)) log::debug("start-up: cannot listen: %s", strerror(errno));
    if (const status s = connect(of_pe_0, me); failed(s)) return s;
  }
  stream_of_process = fd_;
  relay_of_process = &relay_;
  if (pe == 0) hub_of_process = &hub_;
  pthread_atfork(nullptr, nullptr, in_child);
  if (const status s = take_place(of_pe_0, me); failed(s)) return s;
  if (!os::start_thread(run, this)) {
    log::error("cannot start a thread: %s", strerror(errno));
    return status::boot_failed;
  }
  const status s = barrier();  // all PEs have their places in the tree
  joined_ = !failed(s);
  return s;
}

wire::hello hub_client::introduction() {
  wire::hello me{};
  memcpy(me.protocol_name, wire::protocol_name, sizeof me.protocol_name);
  me.pe = pe;
  me.n_pes = n_pes;
  me.pid = os::own_pid();
  me.listens_at.n_addresses =
      static_cast<std::uint16_t>(os::own_addresses(me.listens_at.addresses, wanted_interface()));
  gethostname(me.listens_at.host, sizeof me.listens_at.host - 1);
  return me;
}

// The first round. Its result comes when all PEs are connected, and contains the address of this PE's parent.
status hub_client::take_place(const hub_address& to, const wire::hello& me) {
  (void)send({wire::message_kind::gather, pe, 0, 0, 0}, nullptr, 0);  // the hub may have refused the job already
  wire::referral where{};
  for (bool found = false; !found;) {
    wire::header head;
    pollfd one{fd_, POLLIN, 0};
    if (poll(&one, 1, -1) < 0 && errno == EINTR) continue;
    bool good = os::receive_all(fd_, &head, sizeof head, send_milliseconds);
    if (good) check(from_hub_.check(head), "PE 0");
    found = good && head.kind == wire::message_kind::gather && head.bytes == sizeof where;
    good = good && (found ? os::receive_all(fd_, &where, sizeof where, send_milliseconds) : take_notice(head));
    if (!good) leave_without_hub(errno);
    if (found) check(same_sum(head.body, wire::sum_of_body(secret_, &where, sizeof where)), "PE 0");
  }
  has_parent_ = relay_.join(to.secret, where, me);
  return status::ok;
}

status hub_client::open_hub(hub_address& mine) {
  if (same_sum(mine.secret, sip_key{}) && !os::random_bytes(&mine.secret, sizeof mine.secret)) {
    log::error("cannot get random bytes from the kernel: %s", strerror(errno));
    return status::boot_failed;
  }
  mine.local = sip(mine.secret, "local", 5).word[0];
  mine.n_addresses = static_cast<std::uint16_t>(list_addresses(mine.addresses));
  gethostname(mine.host, sizeof mine.host - 1);
  hub_.warn_seconds = warn_seconds;
  hub_.abort_seconds = abort_seconds;
  hub_.start_seconds = start_seconds;
  return hub_.open(mine, n_pes, fd_);
}

status hub_client::connect(const hub_address& to, const wire::hello& me) {
  const std::uint64_t began = os::now_ns();
  unsigned next_warning = warn_seconds != 0 ? warn_seconds : usual_patience;
  for (;;) {
    int why = 0;
    for (int i = -1; i < to.n_addresses; ++i) {
      const int fd =
          i < 0 ? os::connect_local(to.local) : os::connect_network(to.addresses[i], to.port, attempt_milliseconds);
      if (fd < 0 && i >= 0) why = errno;
      if (fd < 0) continue;
      if (wire::handshake h; wire::authenticate(fd, to.secret, me, h, handshake_milliseconds)) {
        os::watch_stream(fd, wire::lost_after_seconds);
        to_hub_.begin(secret_, h, wire::stream_direction::to_hub);
        from_hub_.begin(secret_, h, wire::stream_direction::to_pe);
        fd_ = fd;
        return status::ok;
      }
      close(fd);
      why = EPROTO;
    }
    const unsigned waited = seconds_since(began);
    if (waited >= route_seconds && !has_route(to, me)) return status::boot_failed;
    const char* reason = why == EPROTO ? "it does not answer as PE 0 of this job" : strerror(why);
    const bool give_up =
        (start_seconds != 0 && waited >= start_seconds) || (abort_seconds != 0 && waited >= abort_seconds);
    if (give_up || waited >= next_warning) {
      char where[256];
      describe(to, where, sizeof where);
      if (give_up)
        log::error(
            "shmem_init: cannot connect to PE 0 at %s, port %u: %s; tried for %u s (OSHEN_START_LIMIT); ending this PE",
            where, to.port, reason, waited);
      else
        log::error("shmem_init: cannot connect to PE 0 at %s, port %u: %s; retrying for %u s now", where, to.port,
                   reason, waited);
      next_warning *= 2;
    }
    if (give_up) return status::boot_failed;
    os::nap(retry_ns);
  }
}

bool hub_client::send(const wire::header& head, const void* body, std::size_t bytes) {
  os::locked hold(sending_);
  return send_held(head, body, bytes);
}

bool hub_client::send_held(wire::header head, const void* body, std::size_t bytes) {
  head.body = wire::sum_of_body(secret_, body, bytes);
  to_hub_.sign(head);
  return os::send_all(fd_, &head, sizeof head, send_milliseconds) && os::send_all(fd_, body, bytes, send_milliseconds);
}

status hub_client::allgather(const void* mine, void* all, std::size_t bytes) {
  const std::uint32_t round = rounds_.load(std::memory_order_relaxed);
  all_ = static_cast<char*>(all);
  all_bytes_ = static_cast<std::size_t>(n_pes) * bytes;
  {
    os::locked hold(sending_);
    if (hub_has_left_) return status::boot_failed;
    rounds_begun_ = round + 1;
    round_began_ = os::now_ns();
    const wire::header head{wire::message_kind::gather, pe, 0, has_parent_ ? 1u : 0u, bytes};
    if (!send_held(head, mine, bytes)) return status::boot_failed;
  }
  unsigned next_question = patience();
  while (rounds_.load(std::memory_order_acquire) == round) {  // pairs with the release in take_result()
    int exit_status = 0;
    if (job_ending(exit_status)) os::leave_at_once(exit_status);
    os::futex_wait(rounds_, round, look_every_ns);
    const unsigned waited = seconds_since(round_began_);
    if (waited < next_question) continue;
    next_question *= 2;
    ask_for_result(round, waited);
  }
  relay_.drain(drain_milliseconds);
  if (pe == 0) hub_.drain(drain_milliseconds);
  return status::ok;
}

const char* hub_client::routine() const {
  return state_.load(std::memory_order_acquire) == pe_state::finalized ? "shmem_finalize" : "shmem_init";
}

// Seconds until a PE asks for a result that its parent has not sent.
unsigned hub_client::patience() const {
  const unsigned limit = warn_seconds != 0 ? warn_seconds : usual_patience;
  return abort_seconds != 0 && abort_seconds < limit ? abort_seconds : limit;
}

// ---- messages, received by a thread of its own ------------------------------------------------------------

void hub_client::run(void* self) { static_cast<hub_client*>(self)->listen(); }

void hub_client::listen() {
  for (;;) {
    pollfd polled[relay::most_polled + 2];
    polled[0] = {hub_has_left_ ? -1 : fd_, POLLIN, 0};
    polled[1] = {relay_.parent(), POLLIN, 0};
    const nfds_t n = 2 + relay_.watch(polled + 2);
    // Guests that do not prove themselves have a limit, and a listener without a free descriptor tries again.
    if (poll(polled, n, relay_.listens() ? listening_milliseconds : -1) < 0 && errno == EINTR) continue;
    if (polled[0].revents != 0 && !receive_from_hub()) end_without_hub(errno);
    if (polled[1].revents != 0) receive_from_parent();
    relay_.serve();
  }
}

bool hub_client::receive_from_hub() {
  wire::header head;
  if (!os::receive_all(fd_, &head, sizeof head, send_milliseconds)) return false;
  check(from_hub_.check(head), "PE 0");
  if (head.kind == wire::message_kind::gather) return take_result(fd_, head);
  if (head.kind != wire::message_kind::overdue) return take_notice(head);
  take_overdue(static_cast<std::uint32_t>(head.value));
  return true;
}

// A PE whose parent has left gets its results from the hub.
void hub_client::receive_from_parent() {
  wire::header head;
  const int fd = relay_.parent();
  if (os::receive_all(fd, &head, sizeof head, send_milliseconds)) {
    check(relay_.check(head, rounds_.load(std::memory_order_relaxed)), "its parent");
    if (head.kind == wire::message_kind::gather && take_result(fd, head)) return;
  }
  leave_parent(errno);
}

// Called in a long wait. The hub warns about late PEs, but does not see a parent that keeps the result. So a PE with a
// parent asks the hub whether the round is complete. After the end of the hub it can only name the parent.
void hub_client::ask_for_result(std::uint32_t round, unsigned waited) {
  os::locked hold(sending_);
  if (!has_parent_) return;
  if (hub_has_left_)
    log::error("%s: waiting for PE %d on %.63s, which forwards the last result, for %u s now", routine(),
               relay_.where().parent, relay_.where().listens_at.host, waited);
  else
    (void)send_held({wire::message_kind::overdue, pe, static_cast<std::int32_t>(round), 0, 0}, nullptr, 0);
}

// The round is complete. A parent that has not forwarded the result is stopped, or its host is slow.
void hub_client::take_overdue(std::uint32_t round) {
  if (round != rounds_.load(std::memory_order_relaxed) || relay_.parent() < 0) return;  // the result has come since
  std::uint64_t began;
  {
    os::locked hold(sending_);
    began = round_began_;
  }
  log::error("%s: PE %d on %.63s has not forwarded the data of all PEs for %u s; PE 0 sends them", routine(),
             relay_.where().parent, relay_.where().listens_at.host, seconds_since(began));
  leave_parent(ETIMEDOUT);
}

// From now on the hub sends the results, also that of the present round.
void hub_client::leave_parent(int why) {
  relay_.lose_parent();
  os::locked hold(sending_);
  has_parent_ = false;
  if (rounds_begun_ == rounds_.load(std::memory_order_relaxed)) return;
  if (hub_has_left_ || !send_held({wire::message_kind::orphan, pe, 0, 0, 0}, nullptr, 0)) leave_without_hub(why);
}

// Ends the job unless a message has come as it was sent.
void hub_client::check(bool authentic, const char* sender) {
  if (authentic) return;
  log::error(
      "the stream from %s to PE %d (pid %d) was changed on the way: a message is not authentic, is missing or came "
      "twice; ending the job",
      sender, pe, os::own_pid());
  (void)send({wire::message_kind::end, pe, 1, 0, 0}, nullptr, 0);
  if (pe == 0) hub_.drain(drain_milliseconds);
  os::leave_from_thread(1);
}

bool hub_client::take_result(int fd, const wire::header& head) {
  if (head.bytes != all_bytes_ || !os::receive_all(fd, all_, all_bytes_, send_milliseconds)) return false;
  check(same_sum(head.body, wire::sum_of_body(secret_, all_, all_bytes_)), fd == fd_ ? "PE 0" : "its parent");
  relay_.forward(head, all_, rounds_.load(std::memory_order_relaxed));
  if (rounds_.load(std::memory_order_relaxed) == 0) relay_.complete();  // children connect before this round
  rounds_.fetch_add(1, std::memory_order_release);
  os::futex_wake_all(rounds_);
  return true;
}

// Handles the notice that the job ends.
bool hub_client::take_notice(const wire::header& head) {
  char host[64];
  if (head.bytes != sizeof host || !os::receive_all(fd_, host, sizeof host, send_milliseconds)) return false;
  check(same_sum(head.body, wire::sum_of_body(secret_, host, sizeof host)), "PE 0");
  // Sessions are closed before another thread can see the end of the job and end the process: Hydra takes a process
  // that ends with an open session for a failed one.
  if (head.kind == wire::message_kind::end && head.flag != 0 && !ended_here_.load(std::memory_order_relaxed))
    finish_managers();
  ending_status_ = head.value;
  ending_.store(1, std::memory_order_release);
  os::futex_wake_all(ending_);
  if (ended_here_.load(std::memory_order_relaxed)) return true;  // the thread that ended the job ends the process
  os::nap(grace_ns);
  // The process manager has had time to end the job with the status of the PE that died.
  if (head.kind == wire::message_kind::lost && pe == 0) manager_->end_job(head.value);
  if (pe == 0) hub_.drain(drain_milliseconds);
  os::leave_from_thread(head.value);
}

// Called when the stream to the hub has ended. After the last finalize this is no error, unless a result is missing
// that only the hub could send.
void hub_client::end_without_hub(int why) {
  os::locked hold(sending_);
  hub_has_left_ = true;
  const bool waits = rounds_begun_ != rounds_.load(std::memory_order_relaxed);
  if (state_.load(std::memory_order_acquire) != pe_state::finalized || (waits && !has_parent_)) leave_without_hub(why);
}

void hub_client::leave_without_hub(int why) {
  if (ending_.load(std::memory_order_acquire) == 0)
    log::error("PE 0 on %.63s %s; ending this PE", host_of_pe_0_,
               why == ETIMEDOUT || why == EHOSTUNREACH || why == ENETUNREACH ? "is lost: its host does not answer"
                                                                             : "has ended, or has closed its stream");
  os::leave_from_thread(1);
}

// ---- the end ----------------------------------------------------------------------------------------------

// The hub tells all PEs, including this one, to end. After an error the process manager ends the job too, because it
// also ends stopped PEs.
void hub_client::end_job(int exit_status, bool quiet) {
  ended_here_.store(true, std::memory_order_relaxed);
  if (send({wire::message_kind::end, pe, exit_status, quiet ? 1u : 0u, 0}, nullptr, 0)) {
    const std::uint64_t until = os::now_ns() + 1000000000u;
    while (ending_.load(std::memory_order_acquire) == 0 && os::now_ns() < until)
      os::futex_wait(ending_, 0, look_every_ns);
  }
  if (pe == 0) hub_.drain(drain_milliseconds);
  if (quiet) return finish_managers();  // so that the process manager lets all PEs end with the requested status
  os::nap(grace_ns);                    // process managers drop the output of processes that they kill
  manager_->end_job(exit_status);
}

bool hub_client::job_ending(int& exit_status) {
  if (ending_.load(std::memory_order_acquire) == 0) return false;
  exit_status = ending_status_;
  return true;
}

void hub_client::set_state(pe_state state) {
  state_.store(state, std::memory_order_release);
  if (state == pe_state::finalized) finish_managers();
  if (fd_ >= 0) (void)send({wire::message_kind::state, pe, static_cast<std::int32_t>(state), 0, 0}, nullptr, 0);
}

}  // namespace oshen::bootstrap
