// Streams with separate endpoints of libfabric (transport/ofi/separate.cpp), as exact numbers: the locks that a put
// takes, the writes to lines that other threads read, and the threads that read completions. The test takes the place
// of the fabric. An operation is complete at once, but its thread learns of it from the completion queue only.
#ifdef OSHEN_HAVE_OFI

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <deque>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "transport/ofi/ofi.hpp"

// ---- locks ------------------------------------------------------------------------------------------------------

namespace {
struct lock_record {
  std::set<const void*> locks;
  std::size_t acquisitions = 0;
};
thread_local lock_record* recording = nullptr;

void record(const void* lock) {
  lock_record* const to = recording;
  if (to == nullptr) return;
  recording = nullptr;  // the record may allocate memory
  to->locks.insert(lock);
  ++to->acquisitions;
  recording = to;
}
}  // namespace

// The linker passes the calls of this program to these (--wrap).
extern "C" {
int __real_pthread_mutex_lock(pthread_mutex_t*);
int __real_pthread_mutex_trylock(pthread_mutex_t*);
int __wrap_pthread_mutex_lock(pthread_mutex_t*);
int __wrap_pthread_mutex_trylock(pthread_mutex_t*);
int __wrap_pthread_mutex_lock(pthread_mutex_t* lock) { return record(lock), __real_pthread_mutex_lock(lock); }
int __wrap_pthread_mutex_trylock(pthread_mutex_t* lock) { return record(lock), __real_pthread_mutex_trylock(lock); }
}

namespace oshen::transport {

extern const transport ofi_transport;

namespace {

// ---- the fabric ---------------------------------------------------------------------------------------------------

// One object of each kind for each endpoint, as the provider opens them.
struct fake_objects {
  fid_domain domain{};
  fid_av addresses{};
  fid_cq queue{};
  fid_ep endpoint{};
  std::deque<void*> complete;
  int reads = 0;
};

std::vector<std::unique_ptr<fake_objects>> opened;
constexpr int unused_descriptor = 1000000;

template <class Fid>
fake_objects& objects_of(Fid* object) {
  for (const auto& o : opened)
    if (&o->domain.fid == &object->fid || &o->addresses.fid == &object->fid || &o->queue.fid == &object->fid ||
        &o->endpoint.fid == &object->fid)
      return *o;
  abort();
}

int close_object(fid*) { return 0; }
int bind_object(fid*, fid*, std::uint64_t) { return 0; }
bool has_descriptors = true;
int control_object(fid*, int command, void* to) {
  if (command == FI_ENABLE) return 0;
  if (command != FI_GETWAIT || !has_descriptors) return -FI_ENOSYS;
  return *static_cast<int*>(to) = unused_descriptor, 0;
}
fi_ops object_calls{.size = sizeof(fi_ops),
                    .close = close_object,
                    .bind = bind_object,
                    .control = control_object,
                    .ops_open = nullptr,
                    .tostr = nullptr,
                    .ops_set = nullptr};

ssize_t complete_later(fid_ep* by, void* context) {
  objects_of(by).complete.push_back(context);
  return 0;
}

fi_ops_cq queue_calls{};
fi_ops_rma rma_calls{};
fi_ops_msg message_calls{};
fi_ops_av address_calls{};
fi_ops_domain domain_calls{};
fi_ops_fabric fabric_calls{};

void fill_calls() {
  queue_calls.read = [](fid_cq* queue, void* to, std::size_t room) -> ssize_t {
    fake_objects& o = objects_of(queue);
    ++o.reads;
    std::size_t n = 0;
    for (; n < room && !o.complete.empty(); ++n) {
      static_cast<fi_cq_data_entry*>(to)[n] = {o.complete.front(), FI_WRITE | FI_RMA, 0, nullptr, 0};
      o.complete.pop_front();
    }
    return n != 0 ? static_cast<ssize_t>(n) : -FI_EAGAIN;
  };
  rma_calls.writemsg = [](fid_ep* by, const fi_msg_rma* m, std::uint64_t) { return complete_later(by, m->context); };
  rma_calls.readmsg = rma_calls.writemsg;
  message_calls.send = [](fid_ep* by, const void*, std::size_t, void*, fi_addr_t, void* context) {
    return complete_later(by, context);
  };
  address_calls.insert = [](fid_av*, const void*, std::size_t n, fi_addr_t* to, std::uint64_t, void*) {
    return *to = 5, static_cast<int>(n);
  };
  address_calls.lookup = [](fid_av*, fi_addr_t, void*, std::size_t*) { return 0; };
  domain_calls.av_open = [](fid_domain* d, fi_av_attr*, fid_av** made, void*) {
    return *made = &objects_of(d).addresses, 0;
  };
  domain_calls.cq_open = [](fid_domain* d, fi_cq_attr*, fid_cq** made, void*) {
    return *made = &objects_of(d).queue, 0;
  };
  domain_calls.endpoint = [](fid_domain* d, fi_info*, fid_ep** made, void*) {
    return *made = &objects_of(d).endpoint, 0;
  };
  fabric_calls.domain = [](fid_fabric*, fi_info*, fid_domain** made, void*) {
    opened.push_back(std::make_unique<fake_objects>());
    fake_objects& o = *opened.back();
    for (fid* f : {&o.domain.fid, &o.addresses.fid, &o.queue.fid, &o.endpoint.fid}) f->ops = &object_calls;
    o.domain.ops = &domain_calls;
    o.addresses.ops = &address_calls;
    o.queue.ops = &queue_calls;
    o.endpoint.rma = &rma_calls;
    o.endpoint.msg = &message_calls;
    return *made = &o.domain, 0;
  };
  fabric_calls.trywait = [](fid_fabric*, fid**, int) {
    EXPECT_TRUE(has_descriptors) << "libfabric crashes";
    return 0;
  };
}

// ---- writes -------------------------------------------------------------------------------------------------------

// Pages that a thread may only read from protect() to unprotect(). The first write is counted, and ends the protection.
class watched_pages {
 public:
  explicit watched_pages(std::size_t bytes) : bytes_(round_up(bytes, static_cast<std::size_t>(getpagesize()))) {
    at_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  }
  ~watched_pages() { munmap(at_, bytes_); }
  watched_pages(const watched_pages&) = delete;
  watched_pages& operator=(const watched_pages&) = delete;
  void* begin() const { return at_; }

  void protect() {
    present_ = this;
    writes_ = 0;
    struct sigaction how{};
    how.sa_sigaction = [](int, siginfo_t* info, void*) { present_->note(info->si_addr); };
    how.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &how, &before_);
    mprotect(at_, bytes_, PROT_READ);
  }
  // Returns true if a thread has written.
  bool unprotect() {
    mprotect(at_, bytes_, PROT_READ | PROT_WRITE);
    sigaction(SIGSEGV, &before_, nullptr);
    return writes_ != 0;
  }

 private:
  void note(const void* at) {
    const auto* begin = static_cast<const char*>(at_);
    if (at < begin || at >= begin + bytes_) abort();
    writes_ = 1;
    mprotect(at_, bytes_, PROT_READ | PROT_WRITE);
  }

  static inline watched_pages* present_ = nullptr;
  void* at_ = nullptr;
  std::size_t bytes_;
  volatile int writes_ = 0;
  struct sigaction before_{};
};

// ---- a PE ---------------------------------------------------------------------------------------------------------

struct requester {
  requester() {
    opened.clear();
    wakes = 0;
    fill_calls();
    fabric.ops = &fabric_calls;
    fabric_attributes.prov_name = name;
    info.fabric_attr = &fabric_attributes;
    info.domain_attr = &domain_attributes;
    info.tx_attr = &tx_attributes;
    for (ofi::peer& p : peers) {
      p.known = true;
      p.keys = &key;
    }
    key.is_here.store(true);
    me.how.n_pes = static_cast<int>(peers.size());
    me.how.request_wake = [](void*) { ++wakes; };
    me.memory.base = slice.data();
    me.memory.bytes = slice.size();
    me.info = &info;
    me.fabric = &fabric;
    me.peers = peers.data();
    me.shared.home = &me;
    me.shared.ops = ops.data();
    me.shared.n_ops = static_cast<int>(ops.size());
    int code = 0;
    EXPECT_EQ(ofi::open_objects(me.shared, code), nullptr);
  }
  ~requester() {
    ofi::close_separate(me);
    ofi::close_objects(me.shared);
    me.~ofi_instance();
  }
  requester(const requester&) = delete;
  requester& operator=(const requester&) = delete;

  instance* self() { return reinterpret_cast<instance*>(&me); }
  int progress() { return ofi_transport.progress(self()); }
  bool watches() { return ofi_transport.watch_streams(self()); }
  stream* open(unsigned options) { return ofi_transport.stream_open(self(), options); }
  static void put(stream* s) {
    const std::uint64_t word = 7;
    ASSERT_EQ(ofi_transport.put(s, 1, 64, &word, sizeof word, nullptr), outcome::done);
  }
  static bool is_complete(stream* s) {
    stream_point point;
    return ofi_transport.flush(s, point) == outcome::done;
  }
  // A put and a quiet, as a thread of the program does them.
  void put_and_wait(stream* s) {
    put(s);
    for (stream_point point; ofi_transport.flush(s, point) != outcome::done;)
      if (ofi_transport.stream_progress(s) < 0) progress();
  }

  static inline int wakes = 0;
  char name[16] = "tcp;ofi_rxm";
  fi_fabric_attr fabric_attributes{};
  fi_domain_attr domain_attributes{};
  fi_tx_attr tx_attributes{};
  fi_info info{};
  fid_fabric fabric{};
  ofi::remote_key key{};
  std::array<ofi::peer, 2> peers{};
  std::vector<char> slice = std::vector<char>(4096);
  std::vector<ofi::pending_op> ops{64};
  watched_pages pages{sizeof(ofi_instance)};
  ofi_instance& me = *new (pages.begin()) ofi_instance;
};

constexpr int n_threads = 4, n_puts = 100;
constexpr int most_calls = 10000000;

// The locks that each of four threads takes for `n_puts` puts, each with a quiet.
std::vector<lock_record> locks_of_threads(unsigned options) {
  requester pe;
  std::vector<stream*> streams;
  for (int i = 0; i < n_threads; ++i) streams.push_back(pe.open(options));
  for (stream* s : streams) pe.put_and_wait(s);  // connects
  std::vector<lock_record> records(n_threads);
  for (std::size_t i = 0; i < n_threads; ++i) {  // one after the other, so that the numbers are exact
    std::thread([&] {
      recording = &records[i];
      for (int k = 0; k < n_puts; ++k) pe.put_and_wait(streams[i]);
      recording = nullptr;
    }).join();
  }
  for (stream* s : streams) ofi_transport.stream_close(s);
  return records;
}

std::set<const void*> common_locks(const std::vector<lock_record>& records) {
  std::set<const void*> seen, common;
  for (const lock_record& r : records)
    for (const void* lock : r.locks)
      if (!seen.insert(lock).second) common.insert(lock);
  return common;
}

// A put takes its operation from the pool; its quiet reads the queue and returns the operation.
TEST(SeparateStreams, ShareNoLock) {
  const auto records = locks_of_threads(separate);
  EXPECT_TRUE(common_locks(records).empty());
  for (const lock_record& r : records) {
    EXPECT_EQ(r.acquisitions, 3u * n_puts);
    EXPECT_EQ(r.locks.size(), 2u);
  }
}

TEST(SeparateStreams, DifferFromOthersWhichShareAllLocks) {
  const auto records = locks_of_threads(0);
  EXPECT_EQ(common_locks(records).size(), 2u);
  for (const lock_record& r : records) EXPECT_EQ(r.acquisitions, 3u * n_puts);
}

TEST(SeparateStreams, WriteNothingThatThreadsShare) {
  for (const unsigned options : {0u, unsigned{separate}}) {
    requester pe;
    stream* s = pe.open(options);
    pe.put_and_wait(s);
    pe.pages.protect();
    for (int k = 0; k < n_puts; ++k) pe.put_and_wait(s);
    EXPECT_EQ(pe.pages.unprotect(), options == 0);
    ofi_transport.stream_close(s);
  }
}

TEST(SeparateStreams, HaveLinesOfTheirOwn) {
  requester pe;
  stream *a = pe.open(separate), *b = pe.open(separate);
  const auto line = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p) / cache_line; };
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a) % cache_line, 0u);
  EXPECT_NE(line(a), line(b));
  EXPECT_NE(own(a)->tx, own(b)->tx);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&own(a)->tx->pool) % cache_line, 0u);
  EXPECT_NE(line(&own(a)->tx->pool), line(&own(a)->tx->is_handed_over));
  ofi_transport.stream_close(a);
  ofi_transport.stream_close(b);
}

// Other threads leave the queue of a stream alone while its thread calls.
TEST(SeparateStreams, AreReadByTheirThread) {
  requester pe;
  stream* s = pe.open(separate);
  fake_objects& own_objects = objects_of(own(s)->tx->completions);
  for (int k = 0; k < n_puts; ++k) {
    requester::put(s);
    const int before = own_objects.reads;
    pe.progress();
    EXPECT_EQ(own_objects.reads, before);
    EXPECT_FALSE(requester::is_complete(s));
    EXPECT_GT(ofi_transport.stream_progress(s), 0);
    EXPECT_TRUE(requester::is_complete(s));
  }
  ofi_transport.stream_close(s);
}

TEST(SeparateStreams, AreHandedOverWhenTheirThreadComputes) {
  requester pe;
  stream* s = pe.open(separate);
  requester::put(s);
  // The second look, a millisecond later, finds no further call.
  for (int k = 0; k < most_calls && !requester::is_complete(s); ++k) pe.progress();
  ASSERT_TRUE(requester::is_complete(s));
  EXPECT_TRUE(own(s)->tx->is_handed_over.load());
  EXPECT_EQ(ofi_transport.stream_progress(s), 0);
  EXPECT_FALSE(own(s)->tx->is_handed_over.load());
  ofi_transport.stream_close(s);
}

TEST(SeparateStreams, AreHandedOverWhenTheirThreadSleeps) {
  requester pe;
  stream* s = pe.open(separate);
  requester::put(s);
  ofi_transport.stream_hand_over(s);
  EXPECT_FALSE(requester::is_complete(s));
  EXPECT_EQ(pe.progress(), 1);
  EXPECT_TRUE(requester::is_complete(s));
  ofi_transport.stream_close(s);
}

// Without a descriptor nothing would wake the sleepers, so they do not block.
TEST(SeparateStreams, ArePolledWhereThereIsNoDescriptor) {
  has_descriptors = false;
  requester pe;
  stream* s = pe.open(separate);
  requester::put(s);
  ofi_transport.stream_hand_over(s);
  EXPECT_TRUE(requester::is_complete(s));
  EXPECT_LT(ofi_transport.wait_fd(pe.self()), 0);
  ofi_transport.stream_close(s);
  has_descriptors = true;
}

// A thread that blocks for long is woken once, and then looks until nothing is left.
TEST(SeparateStreams, WakeAThreadThatDoesNotWatch) {
  requester pe;
  stream* s = pe.open(separate);
  EXPECT_FALSE(pe.watches());
  requester::put(s);
  EXPECT_EQ(requester::wakes, 1);
  EXPECT_TRUE(pe.watches());
  for (int k = 0; k < n_puts; ++k) pe.put_and_wait(s);
  EXPECT_EQ(requester::wakes, 1);
  EXPECT_TRUE(pe.watches()) << "the thread was active";
  EXPECT_FALSE(pe.watches()) << "nothing is in progress";
  requester::put(s);
  EXPECT_EQ(requester::wakes, 2);
  EXPECT_TRUE(pe.watches());
  EXPECT_TRUE(pe.watches()) << "an operation is in progress";
  ofi_transport.stream_hand_over(s);
  EXPECT_FALSE(pe.watches()) << "the descriptor covers it";
  EXPECT_EQ(pe.progress(), 1);
  ofi_transport.stream_close(s);
}

TEST(SeparateStreams, UseEndpointsAgain) {
  requester pe;
  for (int round = 0; round < 5; ++round) {
    stream *a = pe.open(separate), *b = pe.open(separate), *c = pe.open(0);
    for (stream* s : {a, b, c}) pe.put_and_wait(s);
    EXPECT_FALSE(own(c)->tx->is_separate());
    for (stream* s : {a, b, c}) ofi_transport.stream_close(s);
  }
  EXPECT_EQ(opened.size(), 3u);
}

int open_descriptors() {
  int n = 0;
  for (int fd = 0; fd < 1024; ++fd) n += fcntl(fd, F_GETFD) >= 0 ? 1 : 0;
  return n;
}

// A program may start and end the library many times.
TEST(SeparateStreams, LeaveNoDescriptor) {
  const int before = open_descriptors();
  {
    requester pe;
    stream* s = pe.open(separate);
    EXPECT_EQ(open_descriptors(), before + 1) << "the set of all descriptors";
    ofi_transport.stream_close(s);
  }
  EXPECT_EQ(open_descriptors(), before);
}

// A flood of non-blocking puts reads its own completions when it needs operations.
TEST(SeparateStreams, TakeMorePutsThanTheirPoolHolds) {
  requester pe;
  stream* s = pe.open(separate);
  for (int k = 0; k < 3 * ofi::max_pending_separate_ops; ++k) requester::put(s);
  pe.put_and_wait(s);
  EXPECT_FALSE(own(s)->tx->has_operations());
  ofi_transport.stream_close(s);
}

TEST(SeparateStreams, ShareWhereTargetsWouldNeedMoreMemory) {
  requester pe;
  strcpy(pe.name, "verbs;ofi_rxm");
  stream* s = pe.open(separate);
  EXPECT_EQ(own(s)->tx, &pe.me.shared);
  EXPECT_EQ(ofi_transport.stream_progress(s), -1);
  pe.put_and_wait(s);
  ofi_transport.stream_close(s);
}

}  // namespace
}  // namespace oshen::transport

#endif
