// Streams with separate endpoints of libfabric and separate workers of UCX (transport/separate.hpp), as exact numbers:
// the locks that a put takes, the writes to lines that other threads read, and the threads that read completions. The
// test takes the place of the fabric.
#if defined(OSHEN_HAVE_OFI) || defined(OSHEN_HAVE_UCX)

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "support/lock_record.hpp"
#ifdef OSHEN_HAVE_OFI
#include "separate_ofi.hpp"
#endif
#ifdef OSHEN_HAVE_UCX
#include "separate_ucx.hpp"
#endif

extern "C" {
int __real_pthread_mutex_lock(pthread_mutex_t*);
int __real_pthread_mutex_trylock(pthread_mutex_t*);
int __wrap_pthread_mutex_lock(pthread_mutex_t*);
int __wrap_pthread_mutex_trylock(pthread_mutex_t*);
int __wrap_pthread_mutex_lock(pthread_mutex_t* lock) {
  return oshen::testing::record(lock), __real_pthread_mutex_lock(lock);
}
int __wrap_pthread_mutex_trylock(pthread_mutex_t* lock) {
  return oshen::testing::record(lock), __real_pthread_mutex_trylock(lock);
}
}

namespace oshen::transport {
namespace {

using testing::lock_record;

constexpr int n_threads = 4, n_puts = 100;
constexpr int most_calls = 10000000;

// A PE, by the calls of the table of its transport. `Requester` gives it a fabric.
template <class Requester>
struct caller : Requester {
  int progress() { return Requester::table.progress(this->self()); }
  bool watches() { return Requester::table.watch_streams(this->self()); }
  int wait_fd() { return Requester::table.wait_fd(this->self()); }
  stream* open(unsigned options) { return Requester::table.stream_open(this->self(), options); }
  static void close(stream* s) { Requester::table.stream_close(s); }
  static int stream_progress(stream* s) { return Requester::table.stream_progress(s); }
  static void hand_over(stream* s) { Requester::table.stream_hand_over(s); }

  static outcome attempt(stream* s) {
    const std::uint64_t word = 7;
    return Requester::table.put(s, 1, 64, &word, sizeof word, nullptr);
  }
  static void put(stream* s) { ASSERT_EQ(attempt(s), outcome::done); }
  static outcome flush(stream* s, stream_point& point) { return Requester::table.flush(s, point); }
  // A put and a quiet, as a thread of the program does them.
  void put_and_wait(stream* s) {
    put(s);
    for (stream_point point; flush(s, point) != outcome::done;)
      if (stream_progress(s) < 0) progress();
  }
};

struct name_of_fabric {
  template <class Requester>
  static std::string GetName(int) {
    return Requester::table.name;
  }
};

template <class Requester>
class SeparateStreams : public ::testing::Test {};
using fabrics = ::testing::Types<
#ifdef OSHEN_HAVE_OFI
    fake_ofi::requester
#endif
#if defined(OSHEN_HAVE_OFI) && defined(OSHEN_HAVE_UCX)
    ,
#endif
#ifdef OSHEN_HAVE_UCX
    fake_ucx::requester
#endif
    >;
TYPED_TEST_SUITE(SeparateStreams, fabrics, name_of_fabric);

// The locks that each of four threads takes for `n_puts` puts, each with a quiet.
template <class Requester>
std::vector<lock_record> locks_of_threads(unsigned options) {
  caller<Requester> pe;
  std::vector<stream*> streams;
  for (int i = 0; i < n_threads; ++i) streams.push_back(pe.open(options));
  for (stream* s : streams) pe.put_and_wait(s);  // connects
  std::vector<lock_record> records(n_threads);
  for (std::size_t i = 0; i < n_threads; ++i) {  // one after the other, so that the numbers are exact
    std::thread([&] {
      testing::recording = &records[i];
      for (int k = 0; k < n_puts; ++k) pe.put_and_wait(streams[i]);
      testing::recording = nullptr;
    }).join();
  }
  for (stream* s : streams) pe.close(s);
  return records;
}

std::set<const void*> common_locks(const std::vector<lock_record>& records) {
  std::set<const void*> seen, common;
  for (const lock_record& r : records)
    for (const void* lock : r.locks)
      if (!seen.insert(lock).second) common.insert(lock);
  return common;
}

TYPED_TEST(SeparateStreams, ShareNoLock) {
  const auto records = locks_of_threads<TypeParam>(separate);
  EXPECT_TRUE(common_locks(records).empty());
  for (const lock_record& r : records) {
    EXPECT_EQ(r.acquisitions, TypeParam::locks_of_put * n_puts);
    EXPECT_EQ(r.locks.size(), TypeParam::separate_locks);
  }
}

TYPED_TEST(SeparateStreams, DifferFromOthersWhichShareAllLocks) {
  const auto records = locks_of_threads<TypeParam>(0);
  EXPECT_EQ(common_locks(records).size(), TypeParam::shared_locks);
  for (const lock_record& r : records) EXPECT_EQ(r.acquisitions, TypeParam::locks_of_shared_put * n_puts);
}

TYPED_TEST(SeparateStreams, WriteNothingThatThreadsShare) {
  for (const unsigned options : {0u, unsigned{separate}}) {
    caller<TypeParam> pe;
    stream* s = pe.open(options);
    pe.put_and_wait(s);
    pe.pages.protect();
    for (int k = 0; k < n_puts; ++k) pe.put_and_wait(s);
    EXPECT_EQ(pe.pages.unprotect(), options == 0);
    pe.close(s);
  }
}

TYPED_TEST(SeparateStreams, HaveLinesOfTheirOwn) {
  caller<TypeParam> pe;
  stream *a = pe.open(separate), *b = pe.open(separate);
  const auto line = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p) / cache_line; };
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a) % cache_line, 0u);
  EXPECT_NE(line(a), line(b));
  EXPECT_NE(&pe.path_of(a), &pe.path_of(b));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&pe.first_lock_of(a)) % cache_line, 0u);
  EXPECT_NE(line(&pe.first_lock_of(a)), line(&pe.path_of(a).is_handed_over));
  pe.close(a);
  pe.close(b);
}

// Other threads leave the completions of a stream alone while its thread calls.
TYPED_TEST(SeparateStreams, AreReadByTheirThread) {
  caller<TypeParam> pe;
  stream* s = pe.open(separate);
  for (int k = 0; k < n_puts; ++k) {
    stream_point point;
    pe.put(s);
    const int before = pe.reads_of(s);
    pe.progress();
    EXPECT_EQ(pe.reads_of(s), before);
    EXPECT_EQ(pe.flush(s, point), outcome::would_block);
    EXPECT_GT(pe.stream_progress(s), 0);
    EXPECT_EQ(pe.flush(s, point), outcome::done);
  }
  pe.close(s);
}

TYPED_TEST(SeparateStreams, AreHandedOverWhenTheirThreadComputes) {
  caller<TypeParam> pe;
  stream* s = pe.open(separate);
  stream_point point;
  pe.put(s);
  EXPECT_EQ(pe.flush(s, point), outcome::would_block);
  // The second look, a millisecond later, finds no further call.
  for (int k = 0; k < most_calls && pe.flush(s, point) != outcome::done; ++k) pe.progress();
  ASSERT_EQ(pe.flush(s, point), outcome::done);
  EXPECT_TRUE(pe.path_of(s).is_handed_over.load());
  EXPECT_EQ(pe.stream_progress(s), 0);
  EXPECT_FALSE(pe.path_of(s).is_handed_over.load());
  pe.close(s);
}

TYPED_TEST(SeparateStreams, AreHandedOverWhenTheirThreadSleeps) {
  caller<TypeParam> pe;
  stream* s = pe.open(separate);
  stream_point point;
  pe.hold(s);
  pe.put(s);
  EXPECT_EQ(pe.flush(s, point), outcome::would_block);
  pe.hand_over(s);
  EXPECT_EQ(pe.flush(s, point), outcome::would_block);
  pe.deliver(s);
  EXPECT_GT(pe.progress(), 0);
  EXPECT_EQ(pe.flush(s, point), outcome::done);
  pe.close(s);
}

// A thread that blocks for long is woken once, and then looks until nothing is left.
TYPED_TEST(SeparateStreams, WakeAThreadThatDoesNotWatch) {
  caller<TypeParam> pe;
  stream* s = pe.open(separate);
  EXPECT_FALSE(pe.watches());
  pe.put(s);
  EXPECT_EQ(pe.wakes, 1);
  EXPECT_TRUE(pe.watches());
  for (int k = 0; k < n_puts; ++k) pe.put_and_wait(s);
  EXPECT_EQ(pe.wakes, 1);
  EXPECT_TRUE(pe.watches()) << "the thread was active";
  EXPECT_FALSE(pe.watches()) << "nothing is in progress";
  pe.put(s);
  EXPECT_EQ(pe.wakes, 2);
  EXPECT_TRUE(pe.watches());
  EXPECT_TRUE(pe.watches()) << "an operation is in progress";
  pe.hand_over(s);
  EXPECT_FALSE(pe.watches()) << "the descriptor covers it";
  pe.progress();
  EXPECT_FALSE(pe.path_of(s).has_operations());
  pe.close(s);
}

TYPED_TEST(SeparateStreams, UsePathsAgain) {
  caller<TypeParam> pe;
  for (int round = 0; round < 5; ++round) {
    stream *a = pe.open(separate), *b = pe.open(separate), *c = pe.open(0);
    for (stream* s : {a, b, c}) pe.put_and_wait(s);
    EXPECT_FALSE(pe.path_of(c).is_separate());
    for (stream* s : {a, b, c}) pe.close(s);
  }
  EXPECT_EQ(pe.opened_paths(), 3u);
}

TYPED_TEST(SeparateStreams, ShareWhereNoneCanBeOpened) {
  caller<TypeParam> pe;
  stream* a = pe.open(separate);
  pe.refuse_paths();
  stream* b = pe.open(separate);
  EXPECT_TRUE(pe.path_of(a).is_separate());
  EXPECT_FALSE(pe.path_of(b).is_separate());
  EXPECT_EQ(pe.stream_progress(b), -1);
  for (stream* s : {a, b}) pe.put_and_wait(s);
  for (stream* s : {a, b}) pe.close(s);
}

int open_descriptors() {
  int n = 0;
  for (int fd = 0; fd < 1024; ++fd) n += fcntl(fd, F_GETFD) >= 0 ? 1 : 0;
  return n;
}

// A program may start and end the library many times.
TYPED_TEST(SeparateStreams, LeaveNoDescriptor) {
  const int before = open_descriptors();
  {
    caller<TypeParam> pe;
    stream* s = pe.open(separate);
    EXPECT_EQ(open_descriptors(), before + 1) << "the set of all descriptors";
    pe.close(s);
  }
  EXPECT_EQ(open_descriptors(), before);
}

// A flood of non-blocking puts reads its own completions when it needs operations.
TYPED_TEST(SeparateStreams, TakeMorePutsThanTheirPoolHolds) {
  caller<TypeParam> pe;
  stream* s = pe.open(separate);
  for (int k = 0; k < 3 * TypeParam::most_operations; ++k) pe.put(s);
  pe.put_and_wait(s);
  EXPECT_FALSE(pe.path_of(s).has_operations());
  pe.close(s);
}

// The operations of one stream fail. All streams learn of it, and none waits for an operation that never completes.
TYPED_TEST(SeparateStreams, ReportALostPeer) {
  caller<TypeParam> pe;
  stream *a = pe.open(separate), *b = pe.open(separate), *c = pe.open(0);
  for (stream* s : {a, b, c}) pe.put_and_wait(s);
  stream_point point;
  pe.put(a);
  EXPECT_EQ(pe.flush(a, point), outcome::would_block);
  pe.lose_peer(a);
  pe.stream_progress(a);
  EXPECT_EQ(pe.flush(a, point), outcome::lost);
  for (stream* s : {a, b, c}) {
    stream_point other;
    EXPECT_EQ(pe.flush(s, other), outcome::lost);
    EXPECT_EQ(pe.attempt(s), outcome::lost);
  }
  EXPECT_EQ(pe.progress(), -1);
  EXPECT_STREQ(TypeParam::table.explain(pe.self()), "lost");
  for (stream* s : {a, b, c}) pe.close(s);
}

// Other threads learn of a lost peer although the thread of the stream computes or sleeps.
TYPED_TEST(SeparateStreams, ReportALostPeerToOtherThreads) {
  for (const bool sleeps : {false, true}) {
    caller<TypeParam> pe;
    stream* s = pe.open(separate);
    pe.hold(s);
    pe.put(s);
    if (sleeps) pe.hand_over(s);
    pe.lose_peer(s);
    pe.deliver(s);
    int events = 0;
    for (int k = 0; k < most_calls && events >= 0; ++k) events = pe.progress();
    EXPECT_EQ(events, -1);
    pe.close(s);
  }
}

// A job that ends because it has lost a peer closes its endpoints while operations are in progress.
TYPED_TEST(SeparateStreams, CloseWithOperationsInProgress) {
  caller<TypeParam> pe;
  stream *a = pe.open(separate), *b = pe.open(separate);
  pe.put(b);
  pe.put(a);
  pe.lose_peer(a);
  pe.stream_progress(a);
  EXPECT_TRUE(pe.path_of(b).has_operations());
  for (stream* s : {a, b}) pe.close(s);
  const int error = pe.me.error.load();
  pe.close_paths();
  EXPECT_EQ(pe.me.error.load(), error) << "no operation ends after its stream";
}

#ifdef OSHEN_HAVE_OFI

using ofi_caller = caller<fake_ofi::requester>;

// Without a descriptor nothing would wake the sleepers, so they do not block.
TEST(SeparateEndpoints, ArePolledWhereThereIsNoDescriptor) {
  fake_ofi::has_descriptors = false;
  ofi_caller pe;
  stream* s = pe.open(separate);
  stream_point point;
  ofi_caller::put(s);
  ofi_caller::hand_over(s);
  EXPECT_EQ(ofi_caller::flush(s, point), outcome::done);
  EXPECT_LT(pe.wait_fd(), 0);
  ofi_caller::close(s);
  fake_ofi::has_descriptors = true;
}

TEST(SeparateEndpoints, ShareWhereTargetsWouldNeedMoreMemory) {
  ofi_caller pe;
  strcpy(pe.name, "verbs;ofi_rxm");
  stream* s = pe.open(separate);
  EXPECT_EQ(&ofi_caller::path_of(s), &pe.me.shared);
  EXPECT_EQ(ofi_caller::stream_progress(s), -1);
  pe.put_and_wait(s);
  ofi_caller::close(s);
}

// The target has acknowledged a signal before this PE has read that the message has left.
TEST(SeparateEndpoints, ReadTheirLastCompletions) {
  std::size_t left = 0;
  {
    ofi_caller pe;
    stream* s = pe.open(separate);
    const std::uint64_t word = 7;
    const put_signal_args signal{64, &word, sizeof word, 128, 1, signal_op::set};
    ASSERT_EQ(ofi_transport.put_signal(s, 1, signal, nullptr), outcome::done);
    take_acks(ack_name(own(s), own(s)->signals.now()), 1);
    stream_point point;
    EXPECT_EQ(ofi_caller::flush(s, point), outcome::done);
    EXPECT_TRUE(ofi_caller::path_of(s).has_operations());
    ofi_caller::close(s);
    ofi::close_separate(pe.me);
    for (const auto& o : fake_ofi::opened) left += o->complete.size();
  }
  EXPECT_EQ(left, 0u);
}

#endif

#ifdef OSHEN_HAVE_UCX

using ucx_caller = caller<fake_ucx::requester>;

// UCX makes the descriptor readable only after it was armed, and arms no worker that has events.
TEST(SeparateWorkers, AreArmedWhenTheyAreHandedOver) {
  ucx_caller pe;
  stream* s = pe.open(separate);
  const auto is_armed = [&] { return ucx_caller::fake_of(s).is_armed; };
  ucx_caller::put(s);
  ucx_caller::hold(s);
  ucx_caller::put(s);
  EXPECT_FALSE(is_armed());
  ucx_caller::hand_over(s);
  EXPECT_TRUE(is_armed()) << "another thread may sleep already";
  ucx_caller::deliver(s);
  EXPECT_EQ(ucx_transport.may_block(pe.self()), blocking::not_now) << "there are events";
  pe.progress();
  EXPECT_FALSE(ucx_caller::path_of(s).has_operations());
  EXPECT_EQ(ucx_transport.may_block(pe.self()), blocking::until_readable);
  EXPECT_TRUE(is_armed());
  ucx_caller::close(s);
}

// A target sends the key of a region once. Each worker unpacks it for itself.
TEST(SeparateWorkers, AskOnceForAKey) {
  ucx_caller pe;
  EXPECT_EQ(fake_ucx::key_requests, 1);
  stream *a = pe.open(separate), *b = pe.open(separate);
  for (stream* s : {a, b, a, b}) pe.put_and_wait(s);
  EXPECT_EQ(fake_ucx::key_requests, 1);
  for (stream* s : {a, b}) EXPECT_EQ(ucx_caller::fake_of(s).keys, 1);
  for (stream* s : {a, b}) ucx_caller::close(s);
}

TEST(SeparateWorkers, WaitForAKey) {
  ucx_caller pe;
  ucx::release_packed_keys(pe.me);
  stream *a = pe.open(separate), *b = pe.open(separate);
  for (stream* s : {a, b, a}) EXPECT_EQ(ucx_caller::attempt(s), outcome::would_block);
  EXPECT_EQ(fake_ucx::key_requests, 2);
  pe.take_key();
  for (stream* s : {a, b}) pe.put_and_wait(s);
  for (stream* s : {a, b}) ucx_caller::close(s);
}

TEST(SeparateWorkers, ShareOverACard) {
  ucx_caller pe;
  pe.me.chosen.only_tcp = false;
  stream* s = pe.open(separate);
  EXPECT_EQ(&ucx_caller::path_of(s), &pe.me.shared);
  EXPECT_EQ(ucx_caller::stream_progress(s), -1);
  pe.put_and_wait(s);
  ucx_caller::close(s);
}

// Signals and messages leave by the shared worker, in which those of peers arrive.
TEST(SeparateWorkers, SendSignalsByTheSharedOne) {
  ucx_caller pe;
  stream* s = pe.open(separate);
  std::vector<char> large(2 * ucx::eager_bytes);
  pe.me.memory.bytes = 4 * large.size();
  const put_signal_args signal{64, large.data(), large.size(), 8, 1, signal_op::set};
  ASSERT_EQ(ucx_transport.put_signal(s, 1, signal, nullptr), outcome::done);
  EXPECT_FALSE(ucx_caller::path_of(s).has_operations());
  EXPECT_TRUE(pe.me.shared.has_operations());
  EXPECT_EQ(ucx_caller::stream_progress(s), -1) << "an acknowledgement is due";
  pe.progress();
  ucx::take_acks(ucx::ack_name(&ucx::stream_of(s), ucx::stream_of(s).signals.now()), 1);
  stream_point point;
  EXPECT_EQ(ucx_caller::flush(s, point), outcome::done);
  ucx_caller::close(s);
}

#endif

}  // namespace
}  // namespace oshen::transport

#endif
