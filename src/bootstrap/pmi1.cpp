#include "bootstrap/pmi1.hpp"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.hpp"
#include "bootstrap/mpi_in_process.hpp"
#include "bootstrap/text.hpp"

namespace oshen::bootstrap {
namespace {

// The node of a PE from "(vector,(first node,nodes,PEs of each), ...)". The list is repeated until every PE has a node.
// -1 if the text has another form.
long node_in_mapping(const char* text, int pe) {
  const char* blocks = strstr(text, "(vector,");
  if (blocks == nullptr) return -1;
  int left = pe;
  for (;;) {
    const char* p = blocks + 8;
    const int before = left;
    for (int first, nodes, each, used = 0; sscanf(p, "(%d,%d,%d)%n", &first, &nodes, &each, &used) == 3 && used > 0;
         used = 0) {
      if (each <= 0 || nodes <= 0) return -1;
      if (left < nodes * each) return first + left / each;
      left -= nodes * each;
      p += used;
      if (*p == ',') ++p;
    }
    if (left == before) return -1;
  }
}

}  // namespace

// Uses the inherited stream of PMI_FD, or connects to PMI_PORT.
bool pmi1::connect(job_rank& mine, char (&reason)[reason_bytes]) {
  int fd = -1;
  return whole_number(getenv("PMI_FD"), fd) ? inherit(fd, mine, reason) : dial(getenv("PMI_PORT"), mine, reason);
}

bool pmi1::inherit(int fd, job_rank& mine, char (&reason)[reason_bytes]) {
  struct stat what;
  if (fstat(fd, &what) != 0 || !S_ISSOCK(what.st_mode)) {
    snprintf(reason, sizeof reason,
             "PMI_FD = %d is not an open stream: a wrapper has closed it, or it is left from another launcher", fd);
    return false;
  }
  if (!whole_number(getenv("PMI_RANK"), mine.pe) || !whole_number(getenv("PMI_SIZE"), mine.n_pes)) {
    snprintf(reason, sizeof reason, "PMI_FD is set, but PMI_RANK and PMI_SIZE are not numbers");
    return false;
  }
  fd_ = fcntl(fd, F_DUPFD_CLOEXEC, 3);  // an MPI in this process closes the original
  return fd_ >= 0;
}

// Reads a line "cmd=set <key>=<value>".
bool pmi1::next_number(const char* key, int& value) {
  char text[32];
  return read_line() && value_of(key, text, sizeof text) != nullptr && whole_number(text, value);
}

bool pmi1::dial(const char* host_and_port, job_rank& mine, char (&reason)[reason_bytes]) {
  char host[256] = "", hello[64];
  int port = 0, id = 0, debug = 0;
  const char* colon = host_and_port != nullptr ? strrchr(host_and_port, ':') : nullptr;
  if (colon == nullptr || !whole_number(colon + 1, port) || !whole_number(getenv("PMI_ID"), id)) {
    snprintf(reason, sizeof reason, "PMI_PORT and PMI_ID: expected host:port and a number");
    return false;
  }
  snprintf(host, sizeof host, "%.*s", static_cast<int>(colon - host_and_port), host_and_port);
  os::network_address addresses[os::most_addresses];
  const int n = os::look_up_host(host, addresses);
  for (int i = 0; i < n && fd_ < 0; ++i)
    fd_ = os::connect_network(addresses[i], static_cast<std::uint16_t>(port), 5000);
  snprintf(hello, sizeof hello, "cmd=initack pmiid=%d\n", id);
  if (fd_ >= 0 && ask(hello, "initack") && next_number("size", mine.n_pes) && next_number("rank", mine.pe) &&
      next_number("debug", debug))
    return true;
  snprintf(reason, sizeof reason, "no process manager answers at PMI_PORT = %.100s", host_and_port);
  return false;
}

bool pmi1::open(job_rank& mine, char (&reason)[reason_bytes]) {
  if (!connect(mine, reason)) return false;
  char text[4096];
  // An initialised MPI has sent this already, and some servers answer it only once.
  if (!mpi_is_initialised() && !ask("cmd=init pmi_version=1 pmi_subversion=1\n", "response_to_init")) {
    snprintf(reason, sizeof reason, "the launcher does not answer at PMI_FD; it sent '%.60s'", line_);
    close(fd_);
    fd_ = -1;
    return false;
  }
  int most_value = 0;
  if (ask("cmd=get_maxes\n", "maxes")) whole_number(value_of("vallen_max", text, sizeof text), most_value);
  const bool named = ask("cmd=get_my_kvsname\n", "my_kvsname") && value_of("kvsname", kvs_, sizeof kvs_) != nullptr;
  if (!named || most_value <= static_cast<int>(2 * sizeof(hub_address))) {
    snprintf(reason, sizeof reason, "the launcher does not speak PMI-1; it sent '%.60s'", line_);
    return false;
  }
  char request[512];
  snprintf(request, sizeof request, "cmd=get kvsname=%s key=PMI_process_mapping\n", kvs_);
  long node = -1;
  if (ask(request, "get_result") && value_of("value", text, sizeof text) != nullptr)
    node = node_in_mapping(text, mine.pe);
  mine.node = node < 0 ? 0 : static_cast<std::uint64_t>(node) + 1;
  return true;
}

status pmi1::share(hub_address& of_pe_0, const job_rank& mine) {
  char request[1024], text[2 * sizeof(hub_address) + 1];
  const int number = published_++;
  if (mine.pe == 0) {
    to_hex(&of_pe_0, sizeof of_pe_0, text);
    snprintf(request, sizeof request, "cmd=put kvsname=%s key=oshen-card-%d value=%s\n", kvs_, number, text);
    if (!ask(request, "put_result")) {
      log::error("the launcher does not accept the address of PE 0; it sent '%.60s'", line_);
      return status::boot_failed;
    }
  }
  if (!wait_for_all()) return status::boot_failed;
  snprintf(request, sizeof request, "cmd=get kvsname=%s key=oshen-card-%d\n", kvs_, number);
  if (ask(request, "get_result") && value_of("value", text, sizeof text) != nullptr &&
      from_hex(text, &of_pe_0, sizeof of_pe_0))
    return status::ok;
  log::error("the launcher does not return the address of PE 0; it sent '%.60s'", line_);
  return status::boot_failed;
}

// PMI-1 does not tell which processes are missing.
bool pmi1::wait_for_all() {
  constexpr unsigned most_seconds = 2000000;
  most_milliseconds_ = start_seconds == 0 || start_seconds > most_seconds ? -1 : static_cast<int>(start_seconds) * 1000;
  errno = 0;
  const bool complete = ask("cmd=barrier_in\n", "barrier_out");
  const bool is_late = !complete && errno == ETIMEDOUT;
  most_milliseconds_ = -1;
  if (is_late)
    log::error(
        "shmem_init: not all PEs have come to the launcher's barrier in %u s (OSHEN_START_LIMIT); ending this PE",
        start_seconds);
  else if (!complete)
    log::error("the launcher's barrier failed; it sent '%.60s'", line_);
  return complete;
}

void pmi1::end_job(int exit_status) {
  char request[64];
  snprintf(request, sizeof request, "cmd=abort exitcode=%d\n", exit_status);
  os::send_all(fd_, request, strlen(request), 1000);
}

void pmi1::finish() { (void)ask("cmd=finalize\n", "finalize_ack"); }

// ---- lines ------------------------------------------------------------------------------------------------

// Sends a request and reads the reply, which must be "cmd=<reply>", with rc=0 if it has an rc.
bool pmi1::ask(const char* request, const char* reply) {
  char text[64];
  if (!os::send_all(fd_, request, strlen(request), 5000) || !read_line()) return false;
  if (value_of("cmd", text, sizeof text) == nullptr || strcmp(text, reply) != 0) return false;
  return value_of("rc", text, sizeof text) == nullptr || strcmp(text, "0") == 0;
}

// Reads the next line, without its newline. The reply to a barrier may take long.
bool pmi1::read_line() {
  memmove(line_, line_ + line_bytes_, read_bytes_ - line_bytes_);
  read_bytes_ -= line_bytes_;
  line_bytes_ = 0;
  for (;;) {
    if (char* end = static_cast<char*>(memchr(line_, '\n', read_bytes_)); end != nullptr) {
      *end = '\0';
      line_bytes_ = static_cast<std::size_t>(end - line_) + 1;
      return true;
    }
    if (read_bytes_ == sizeof line_) return false;
    pollfd one{fd_, POLLIN, 0};
    const int ready = poll(&one, 1, most_milliseconds_);
    if (ready < 0 && errno != EINTR) return false;
    if (ready == 0) {
      errno = ETIMEDOUT;
      return false;
    }
    const std::ptrdiff_t got = os::receive_some(fd_, line_ + read_bytes_, sizeof line_ - read_bytes_);
    if (got < 0) {
      snprintf(line_, sizeof line_, "nothing: %s", errno == 0 ? "the stream was closed" : strerror(errno));
      line_bytes_ = read_bytes_ = 0;
      return false;
    }
    read_bytes_ += static_cast<std::size_t>(got);
  }
}

// The text after "key=" in the line, up to a space.
const char* pmi1::value_of(const char* key, char* text, std::size_t capacity) const {
  const std::size_t length = strlen(key);
  for (const char* p = line_; *p != '\0';) {
    const std::size_t word = strcspn(p, " ");
    if (word > length && strncmp(p, key, length) == 0 && p[length] == '=') {
      if (word - length > capacity) return nullptr;
      memcpy(text, p + length + 1, word - length - 1);
      text[word - length - 1] = '\0';
      return text;
    }
    p += word;
    while (*p == ' ') ++p;
  }
  return nullptr;
}

}  // namespace oshen::bootstrap
