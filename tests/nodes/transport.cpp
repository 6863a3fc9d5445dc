// Tests the contract of src/transport/transport.hpp between processes: transport NAME[:OPTIONS] PES. Each PE runs every
// check below against the next one. A failing check prints its line and ends the program with status 1.
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <string>
#include <vector>

#include "transport/transport.hpp"

using namespace oshen::transport;

namespace oshen::transport {
extern const transport TRANSPORT_UNDER_TEST;
}

namespace {

constexpr std::size_t slice_bytes = std::size_t{24} << 20;
constexpr int patience_seconds = 120;
constexpr long most_kib_to_open = 16 << 10;  // memory that every PE allocates and writes at every start

struct shared_page {
  std::atomic<int> arrived, generation;
  struct {
    std::size_t bytes;
    char text[address_bytes];
  } addresses[64];
};

struct pe {
  const transport* table;
  instance* self;
  attributes properties;
  shared_page* shared;
  char* slice;
  int me, n, next, before;
  stream* s;
  std::vector<std::string> heard;
  int echoes_left = 0;
  int echoed = 0;
};
pe* here;

#define CHECK(condition)                          \
  do {                                            \
    if (!(condition)) fail(__LINE__, #condition); \
  } while (0)

[[noreturn]] void fail(int line, const char* what) {
  std::fprintf(stderr, "transport.cpp:%d: PE %d: %s is not so (%s)\n", line, here->me, what,
               here->table->explain(here->self));
  kill(0, SIGTERM);
  _exit(1);
}

template <class Done>
void until(int line, Done done) {
  const time_t began = time(nullptr);
  while (!done()) {
    if (here->table->progress(here->self) <= 0) sched_yield();
    if (time(nullptr) - began > patience_seconds) fail(line, "the end of a wait");
  }
}

template <class Attempt>
void persist(int line, Attempt attempt) {
  outcome o = outcome::would_block;
  until(line, [&] { return (o = attempt()) != outcome::would_block; });
  if (o != outcome::done) fail(line, "an operation accepted");
}

void flush() {
  oshen::transport::stream_point point;
  persist(__LINE__, [&] { return here->table->flush(here->s, point); });
}
void fence() {
  oshen::transport::stream_point point;
  persist(__LINE__, [&] {
    return here->table->fence != nullptr ? here->table->fence(here->s, point) : here->table->flush(here->s, point);
  });
}

// A barrier; waiting PEs make progress.
void meet() {
  const int generation = here->shared->generation.load();
  if (here->shared->arrived.fetch_add(1) + 1 == here->n) {
    here->shared->arrived.store(0);
    here->shared->generation.fetch_add(1);
  } else {
    until(__LINE__, [&] { return here->shared->generation.load() != generation; });
  }
}

void put(std::uint64_t to, const void* from, std::size_t bytes, completion* c = nullptr) {
  persist(__LINE__, [&] {
    if (c != nullptr) c->pending.fetch_add(1);
    const outcome o = here->table->put(here->s, here->next, to, from, bytes, c);
    if (o != outcome::done && c != nullptr) c->pending.fetch_sub(1);
    return o;
  });
}
void get(void* to, std::uint64_t from, std::size_t bytes, completion* c = nullptr) {
  persist(__LINE__, [&] {
    if (c != nullptr) c->pending.fetch_add(1);
    const outcome o = here->table->get(here->s, here->next, to, from, bytes, c);
    if (o != outcome::done && c != nullptr) c->pending.fetch_sub(1);
    return o;
  });
}
void settle(completion& c) {
  until(__LINE__, [&] { return c.pending.load(std::memory_order_acquire) == 0; });
}

std::uint64_t word(std::uint64_t place) {
  return __atomic_load_n(reinterpret_cast<std::uint64_t*>(here->slice + place), __ATOMIC_ACQUIRE);
}
char pattern(std::size_t i, int pe) {
  return static_cast<char>(i * 7 + i / 251 + static_cast<std::size_t>(pe) * 31 + 1);
}

// The private memory of this process, in KiB.
long private_memory() {
  std::ifstream lines("/proc/self/status");
  for (std::string line; std::getline(lines, line);)
    if (line.rfind("RssAnon:", 0) == 0) return std::atol(line.c_str() + 8);
  return 0;
}

// ---- checks ---------------------------------------------------------------------------------------------------

void sizes() {
  for (const std::size_t bytes :
       {1u, 2u, 3u, 4u, 7u, 8u, 63u, 64u, 255u, 256u, 257u, 4095u, 4096u, 65537u, 1u << 20, 5u << 20}) {
    std::vector<char> out(bytes), in(bytes, 0);
    for (const std::size_t shift : {0u, 1u, 5u}) {
      for (std::size_t i = 0; i < bytes; ++i) out[i] = pattern(i + shift, here->me);
      memset(here->slice, 0, bytes + 64);
      meet();
      completion c;
      put(8 + shift, out.data(), bytes, &c);
      settle(c);
      memset(out.data(), 0, bytes);  // the source may be reused
      flush();
      get(in.data(), 8 + shift, bytes, &c);
      settle(c);
      for (std::size_t i = 0; i < bytes; ++i) CHECK(in[i] == pattern(i + shift, here->me));
      meet();
      CHECK(here->slice[7 + shift] == 0 && here->slice[8 + shift + bytes] == 0);
      for (std::size_t i = 0; i < bytes; ++i) CHECK(here->slice[8 + shift + i] == pattern(i + shift, here->before));
      meet();
    }
  }
}

// Puts of all sizes without waiting in between, more than any queue holds; after flush all bytes are there.
void floods() {
  constexpr int times = 5000;
  std::vector<std::uint64_t> values(times);
  for (int i = 0; i < times; ++i)
    values[static_cast<std::size_t>(i)] = static_cast<std::uint64_t>(here->me) << 32 | static_cast<unsigned>(i);
  for (int i = 0; i < times; ++i) put(static_cast<std::uint64_t>(i) * 8, &values[static_cast<std::size_t>(i)], 8);
  flush();
  meet();
  for (int i = 0; i < times; ++i)
    CHECK(word(static_cast<std::uint64_t>(i) * 8) ==
          (static_cast<std::uint64_t>(here->before) << 32 | static_cast<unsigned>(i)));
  std::vector<std::uint64_t> back(times);
  for (int i = 0; i < times; ++i) get(&back[static_cast<std::size_t>(i)], static_cast<std::uint64_t>(i) * 8, 8);
  flush();
  CHECK(back == values);
  meet();
}

// A PE that sees a flag sees the data before the fence: large puts before small ones, and messages in between.
void order() {
  constexpr std::size_t bytes = 200000;
  std::vector<char> data(bytes);
  memset(here->slice, 0, 64);
  meet();
  for (std::uint64_t round = 1; round <= 50; ++round) {
    memset(data.data(), static_cast<int>(round), bytes);
    put(64, data.data(), bytes);
    fence();
    put(8, &round, 8);
    until(__LINE__, [&] { return word(8) == round; });
    for (std::size_t i = 0; i < bytes; i += 997) CHECK(here->slice[64 + i] == static_cast<char>(round));
    CHECK(here->slice[64 + bytes - 1] == static_cast<char>(round));
    const std::uint64_t seen = round;
    flush();
    meet();  // no PE overwrites bytes that another one reads
    CHECK(seen == round);
  }
  memset(here->slice, 0, 64);
  meet();
}

void signals() {
  if (here->table->put_signal == nullptr) return;
  std::vector<char> data(70000);
  for (std::uint64_t round = 1; round <= 40; ++round) {
    const std::size_t bytes = round % 4 == 0 ? 0 : round % 4 == 1 ? 8 : round % 4 == 2 ? 3000 : data.size();
    memset(data.data(), static_cast<int>(round), data.size());
    completion c;
    persist(__LINE__, [&] {
      c.pending.store(1);
      return here->table->put_signal(here->s, here->next,
                                     {64, data.data(), bytes, 16, round % 2 == 0 ? 1u : 2u, signal_op::add}, &c);
    });
    settle(c);
    memset(data.data(), 0, data.size());
    std::uint64_t wanted = 0;
    for (std::uint64_t i = 1; i <= round; ++i) wanted += i % 2 == 0 ? 1 : 2;
    until(__LINE__, [&] { return word(16) == wanted; });
    for (std::size_t i = 0; i < bytes; ++i) CHECK(here->slice[64 + i] == static_cast<char>(round));
    flush();
    meet();
  }
  memset(here->slice, 0, 64);
  meet();
}

void on_message(void*, int from, const void* bytes, std::size_t n) {
  const std::string text(static_cast<const char*>(bytes), n);
  if (text.starts_with("echo")) {  // replies are never refused
    const std::string answer = "re" + text;
    CHECK(here->table->send(here->self, nullptr, from, answer.data(), answer.size()) == outcome::done);
  } else if (text.starts_with("reecho")) {
    ++here->echoed;
  } else {
    here->heard.push_back(std::to_string(from) + text);
  }
}

void messages() {
  here->heard.clear();
  for (std::size_t n = 1; n <= min_message_bytes; ++n) {
    const std::string text(n, static_cast<char>('a' + n % 26));
    persist(__LINE__, [&] { return here->table->send(here->self, here->s, here->next, text.data(), n); });
    fence();
  }
  until(__LINE__, [] { return here->heard.size() == min_message_bytes; });
  for (std::size_t n = 1; n <= min_message_bytes; ++n) {  // in any order
    const std::string wanted = std::to_string(here->before) + std::string(n, static_cast<char>('a' + n % 26));
    CHECK(std::count(here->heard.begin(), here->heard.end(), wanted) == 1);
  }
  flush();
  meet();
  constexpr int times = 2000;  // all PEs send requests to all others, as many as are allowed
  for (int i = 0; i < times; ++i)
    for (int to = 0; to < here->n; ++to) {
      if (to == here->me) continue;
      persist(__LINE__, [&] { return here->table->send(here->self, here->s, to, "echo", 4); });
      until(__LINE__, [&] { return i * (here->n - 1) - here->echoed < 512; });
    }
  until(__LINE__, [] { return here->echoed == times * (here->n - 1); });
  flush();
  meet();
}

// After a message, a fence and a put, the handler has returned before the bytes are seen.
void handled_before() {
  for (std::uint64_t round = 1; round <= 100; ++round) {
    here->heard.clear();
    meet();
    persist(__LINE__, [&] { return here->table->send(here->self, here->s, here->next, "first", 5); });
    fence();
    put(24, &round, 8);
    until(__LINE__, [&] { return word(24) == round; });
    CHECK(here->heard.size() == 1);
    flush();
  }
  meet();
}

// An arrival wakes a PE that blocks in the descriptor.
void sleeping() {
  const int fd = here->table->wait_fd(here->self);
  if (fd < 0) return;
  for (std::uint64_t round = 1; round <= 20; ++round) {
    if (here->me == 0) {
      usleep(5000);
      put(32, &round, 8);
      flush();
    } else if (here->before == 0) {
      while (word(32) != round) {
        if (here->table->progress(here->self) > 0) continue;
        if (here->table->may_block != nullptr && here->table->may_block(here->self) != blocking::until_readable)
          continue;
        pollfd one{fd, POLLIN, 0};
        CHECK(poll(&one, 1, 20000) == 1 || word(32) == round);
      }
    }
    meet();
  }
}

void streams() {
  std::vector<stream*> many;
  for (int i = 0; i < 20; ++i) {
    many.push_back(here->table->stream_open(here->self, 0));
    if (many.back() == nullptr) many.pop_back();
  }
  CHECK(!many.empty());
  stream* usual = here->s;
  for (std::size_t i = 0; i < many.size(); ++i) {
    here->s = many[i];
    const std::uint64_t value = 1000 + i;
    put(4096 + 8 * i, &value, 8);
    flush();
  }
  here->s = usual;
  meet();
  for (std::size_t i = 0; i < many.size(); ++i) CHECK(word(4096 + 8 * i) == 1000 + i);
  for (stream* s : many) here->table->stream_close(s);
  meet();
}

int run(const transport& table, const char* options, shared_page* shared, int me, int n) {
  pe self{};
  here = &self;
  self.table = &table;
  self.shared = shared;
  self.me = me;
  self.n = n;
  self.next = (me + 1) % n;
  self.before = (me + n - 1) % n;
  self.slice =
      static_cast<char*>(mmap(nullptr, slice_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  char why[256] = "";
  const char* chaos = getenv("CHAOS");
  const open_params how{.pe = me,
                        .n_pes = n,
                        .slice = self.slice,
                        .slice_bytes = slice_bytes,
                        .options = options,
                        .chaos_seed = chaos != nullptr ? std::strtoull(chaos, nullptr, 10) : 0,
                        .on_message = on_message,
                        .owner = &self};
  const long before = private_memory();
  if (!table.open(how, &self.self, &self.properties, why, sizeof why)) {
    std::fprintf(stderr, "PE %d: cannot open %s: %s\n", me, table.name, why);
    return 1;
  }
  CHECK(private_memory() - before < most_kib_to_open);
  if (me == 0) std::printf("%s: %s\n", table.name, self.properties.about);
  CHECK(self.properties.message_bytes >= min_message_bytes);
  shared->addresses[me].bytes = table.local_address(self.self, shared->addresses[me].text);
  CHECK(shared->addresses[me].bytes > 0 && shared->addresses[me].bytes <= address_bytes);
  meet();
  for (int pe = 0; pe < n; ++pe)
    CHECK(table.connect(self.self, pe, shared->addresses[pe].text, shared->addresses[pe].bytes) == outcome::done);
  self.s = table.stream_open(self.self, 0);
  CHECK(self.s != nullptr);
  meet();
  struct {
    const char* name;
    void (*check)();
  } const checks[] = {{"sizes", sizes},       {"floods", floods},     {"order", order},
                      {"signals", signals},   {"messages", messages}, {"handled before", handled_before},
                      {"sleeping", sleeping}, {"streams", streams}};
  for (const auto& one : checks) {
    if (me == 0) std::printf("%s\n", one.name), std::fflush(stdout);
    one.check();
  }
  flush();
  table.stream_close(self.s);
  meet();
  table.close(self.self);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "usage: %s OPTIONS PES\n", argv[0]), 2;
  const transport& table = TRANSPORT_UNDER_TEST;
  char why[256] = "";
  if (!table.available(argv[1], why, sizeof why)) {
    std::printf("skipped: %s is not available: %s\n", table.name, why);
    return 77;
  }
  const int n = std::atoi(argv[2]);
  auto* shared = static_cast<shared_page*>(
      mmap(nullptr, sizeof(shared_page), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  setpgid(0, 0);
  for (int i = 0; i < n; ++i)
    if (fork() == 0) {
      const int status = run(table, argv[1], shared, i, n);
      std::fflush(nullptr);
      _exit(status);
    }
  int failed = 0, status = 0;
  signal(SIGTERM, SIG_IGN);
  while (wait(&status) > 0) failed |= status;
  std::puts(failed == 0 ? "conforms" : "does not conform");
  return failed == 0 ? 0 : 1;
}
