// Handover of the node segment's descriptor: the processes that receive it, and those from which a PE accepts it.
// Foreign processes run as another user, so only root can run these tests.
#include "os/handover.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/clock.hpp"
#include "os/memory.hpp"

namespace oshen::os {
namespace {

constexpr uid_t nobody = 65534;
constexpr std::uint64_t second = 1000000000;

std::uint64_t in_seconds(unsigned n) { return now_ns() + n * second; }

// Runs `act` in a process of its own; its result is the exit status.
template <class Act>
pid_t process(Act act) {
  const pid_t pid = fork();
  if (pid == 0) _exit(act());
  return pid;
}

int status_of(pid_t pid) {
  int status = -1;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Receives the handed-over object. Returns 0 if it has `bytes` bytes, 1 if it is another object, 2 if there is none.
int take(const socket_name& name, off_t bytes) {
  const int fd = take_descriptor(name, in_seconds(20));
  struct stat file;
  if (fd < 0) return 2;
  return fstat(fd, &file) == 0 && file.st_size == bytes ? 0 : 1;
}

struct Handover : ::testing::Test {
  const socket_name name = random_name();
  const int object = create_shared("handover");
  const int listener = listen_abstract(name, 8);
  void SetUp() override {
    ASSERT_TRUE(resize_shared(object, 12345));
    ASSERT_GE(listener, 0);
  }
  void TearDown() override {
    close(listener);
    close(object);
  }
};

TEST_F(Handover, OneOfOurUserGetsIt) {
  const pid_t peer = process([&] { return take(name, 12345); });
  EXPECT_TRUE(give_descriptor(listener, object, in_seconds(20)));
  EXPECT_EQ(status_of(peer), 0);
}

TEST_F(Handover, StrangersGetNothingAndAreNotCounted) {
  if (getuid() != 0) GTEST_SKIP() << "needs a second user";
  pid_t strangers[5];
  for (pid_t& one : strangers) one = process([&] { return setuid(nobody) != 0 ? 9 : take(name, 12345); });
  const pid_t peer = process([&] {
    usleep(200000);  // lets the others be first
    return take(name, 12345);
  });
  EXPECT_TRUE(give_descriptor(listener, object, in_seconds(20)));
  EXPECT_EQ(status_of(peer), 0);
  shutdown(listener, SHUT_RDWR);  // ends a process that is late
  for (pid_t one : strangers) EXPECT_EQ(status_of(one), 2);
}

TEST_F(Handover, NothingIsTakenFromAStranger) {
  if (getuid() != 0) GTEST_SKIP() << "needs a second user";
  const socket_name theirs = random_name();
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t server = process([&] {
    if (setuid(nobody) != 0) return 9;
    const int door = listen_abstract(theirs, 1);
    if (door < 0 || write(ready[1], "r", 1) != 1) return 8;
    sleep(20);
    return 7;
  });
  char byte;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  EXPECT_EQ(take_descriptor(theirs, in_seconds(20)), -1);
  kill(server, SIGKILL);
  waitpid(server, nullptr, 0);
}

TEST_F(Handover, NobodyComes) { EXPECT_FALSE(give_descriptor(listener, object, now_ns() + second / 10)); }

TEST_F(Handover, SignalsDoNotEndIt) {
  struct sigaction action{};
  struct sigaction before;
  action.sa_handler = [](int) {};
  sigaction(SIGALRM, &action, &before);  // no SA_RESTART: calls fail with EINTR
  itimerval fast{{0, 1000}, {0, 1000}};
  const itimerval off{};
  const pid_t peer = process([&] {
    setitimer(ITIMER_REAL, &fast, nullptr);
    usleep(1000);
    for (const std::uint64_t start = now_ns(); now_ns() - start < second / 5;) continue;
    return take(name, 12345);
  });
  setitimer(ITIMER_REAL, &fast, nullptr);
  const bool given = give_descriptor(listener, object, in_seconds(30));
  setitimer(ITIMER_REAL, &off, nullptr);
  sigaction(SIGALRM, &before, nullptr);
  EXPECT_TRUE(given);
  EXPECT_EQ(status_of(peer), 0);
}

TEST_F(Handover, NamesAreNeverTheSame) {
  const socket_name other = random_name();
  EXPECT_NE(name.high, other.high);
  EXPECT_NE(name.low, other.low);
  EXPECT_EQ(listen_abstract(socket_name{}, 1), -1);  // without a random name there is no socket
}

TEST_F(Handover, TheObjectIsForItsOwnerOnly) {
  struct stat file;
  ASSERT_EQ(fstat(object, &file), 0);
  EXPECT_EQ(file.st_mode & 0777, 0600u);
}

}  // namespace
}  // namespace oshen::os
