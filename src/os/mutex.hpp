// A lock between the threads of one PE. std::mutex would need the C++ runtime.
#pragma once

#include <pthread.h>

namespace oshen::os {

class mutex {
 public:
  void lock() { pthread_mutex_lock(&handle_); }
  bool try_lock() { return pthread_mutex_trylock(&handle_) == 0; }
  void unlock() { pthread_mutex_unlock(&handle_); }
  pthread_mutex_t* native() { return &handle_; }

 private:
  pthread_mutex_t handle_ = PTHREAD_MUTEX_INITIALIZER;
};

class locked {
 public:
  explicit locked(mutex& m) : mutex_(m) { mutex_.lock(); }
  ~locked() { mutex_.unlock(); }
  locked(const locked&) = delete;
  locked& operator=(const locked&) = delete;

 private:
  mutex& mutex_;
};

}  // namespace oshen::os
