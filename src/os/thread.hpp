// Threads of the library: detached, with a small stack and all signals blocked.
#pragma once

#include <signal.h>

namespace oshen::os {

bool start_thread(void (*function)(void*), void* argument);

// While it exists, the calling thread is known as one of the library. Every thread of start_thread() has one.
class library_thread {
 public:
  library_thread();
  ~library_thread();
  library_thread(const library_thread&) = delete;
  library_thread& operator=(const library_thread&) = delete;

 private:
  int place_;
};

// The threads that foreign libraries, such as UCX and PMIx, start between begin() and end(). They block all signals, so
// that only threads of the program handle those. They are known as threads of the library, unless the process has a
// second thread: that one might start threads of the program meanwhile. There is no destructor: a static object of the
// library must not need initialisation at load time.
class adopted_threads {
 public:
  adopted_threads() = default;
  adopted_threads(const adopted_threads&) = delete;
  adopted_threads& operator=(const adopted_threads&) = delete;

  void begin();
  void end();
  void release();  // to be called when the libraries have ended their threads

 private:
  static constexpr int most = 8;
  int places_[most] = {};
  int n_ = 0;
  bool is_alone_ = false;
  sigset_t before_{};
};

// True if the thread with this number (gettid) is one of the library.
bool is_library_thread(int thread);

// Ends the process from any thread, after flushing the program's streams for at most half a second: a sleeping thread
// that holds the lock of a stream cannot block the end.
[[noreturn]] void leave_from_thread(int status);

}  // namespace oshen::os
