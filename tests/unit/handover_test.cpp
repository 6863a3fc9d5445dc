// Handover of the node segment's descriptor: the processes that receive it, and those from which a PE accepts it.
// Foreign processes run as another user, so only root can run these tests.
#include "os/handover.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
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
int take(const socket_name& name, const sip_key& key, off_t bytes) {
  const int fd = take_descriptor(name, key, in_seconds(20));
  struct stat file;
  if (fd < 0) return 2;
  return fstat(fd, &file) == 0 && file.st_size == bytes ? 0 : 1;
}

struct Handover : ::testing::Test {
  const socket_name name = random_name();
  const sip_key key = random_key();
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
  const pid_t peer = process([&] { return take(name, key, 12345); });
  EXPECT_TRUE(give_descriptor(listener, key, object, in_seconds(20)));
  EXPECT_EQ(status_of(peer), 0);
}

TEST_F(Handover, StrangersGetNothingAndAreNotCounted) {
  if (getuid() != 0) GTEST_SKIP() << "needs a second user";
  pid_t strangers[5];
  for (pid_t& one : strangers) one = process([&] { return setuid(nobody) != 0 ? 9 : take(name, key, 12345); });
  const pid_t peer = process([&] {
    usleep(200000);  // lets the others be first
    return take(name, key, 12345);
  });
  EXPECT_TRUE(give_descriptor(listener, key, object, in_seconds(20)));
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
  EXPECT_EQ(take_descriptor(theirs, key, in_seconds(20)), -1);
  kill(server, SIGKILL);
  waitpid(server, nullptr, 0);
}

// As in a user namespace, where the number of the user proves nothing.
TEST_F(Handover, OurUserWithoutTheKeyGetsNothing) {
  const auto guess = [&](const sip_key& wrong) { return process([&, wrong] { return take(name, wrong, 12345); }); };
  const pid_t first = guess(random_key()), second = guess({{key.word[0], key.word[1] ^ 1}});
  const pid_t peer = process([&] {
    usleep(200000);  // lets the others be first
    return take(name, key, 12345);
  });
  EXPECT_TRUE(give_descriptor(listener, key, object, in_seconds(20)));
  EXPECT_EQ(status_of(peer), 0);
  shutdown(listener, SHUT_RDWR);
  EXPECT_EQ(status_of(first), 2);
  EXPECT_EQ(status_of(second), 2);
}

TEST_F(Handover, ASilentProcessIsDisconnected) {
  int connected[2];
  ASSERT_EQ(pipe(connected), 0);
  const pid_t silent = process([&] {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const int length = snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "oshen-%016llx%016llx",
                                static_cast<unsigned long long>(name.high), static_cast<unsigned long long>(name.low));
    const int peer = socket(AF_UNIX, SOCK_STREAM, 0);
    const auto bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + static_cast<std::size_t>(length));
    if (connect(peer, reinterpret_cast<sockaddr*>(&address), bytes) != 0) return 9;
    char byte = 'c';
    if (write(connected[1], &byte, 1) != 1) return 8;
    return recv(peer, &byte, 1, 0) == 0 ? 0 : 1;
  });
  close(connected[1]);
  const pid_t peer = process([&] {
    char byte;
    if (read(connected[0], &byte, 1) != 1) return 7;
    return take(name, key, 12345);
  });
  EXPECT_TRUE(give_descriptor(listener, key, object, in_seconds(20)));
  EXPECT_EQ(status_of(silent), 0);
  EXPECT_EQ(status_of(peer), 0);
  close(connected[0]);
}

// A listener of our user that sends its descriptor to anyone, with a proof that it made up.
TEST_F(Handover, NothingIsTakenWithoutAProof) {
  const pid_t peer = process([&] { return take(name, key, 12345); });
  const int connection = accept(listener, nullptr, nullptr);
  sip_sum made_up = random_key();
  iovec content{&made_up, sizeof made_up};
  alignas(cmsghdr) char buffer[CMSG_SPACE(sizeof object)] = {};
  msghdr message{};
  message.msg_iov = &content;
  message.msg_iovlen = 1;
  message.msg_control = buffer;
  message.msg_controllen = sizeof buffer;
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof object);
  memcpy(CMSG_DATA(header), &object, sizeof object);
  EXPECT_EQ(sendmsg(connection, &message, MSG_NOSIGNAL), static_cast<ssize_t>(sizeof made_up));
  EXPECT_EQ(status_of(peer), 2);
  close(connection);
}

TEST_F(Handover, WithoutRandomnessThereIsNoKey) {
  EXPECT_FALSE(give_descriptor(listener, sip_key{}, object, in_seconds(20)));
  EXPECT_EQ(take_descriptor(name, sip_key{}, in_seconds(20)), -1);
}

TEST_F(Handover, NoPeComes) { EXPECT_FALSE(give_descriptor(listener, key, object, now_ns() + second / 10)); }

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
    return take(name, key, 12345);
  });
  setitimer(ITIMER_REAL, &fast, nullptr);
  const bool given = give_descriptor(listener, key, object, in_seconds(30));
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
