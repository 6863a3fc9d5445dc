// A lock between the threads of one PE. std::mutex would need the C++ runtime.
#pragma once

#include <pthread.h>

#include "os/holding.hpp"

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

using locked = holding<mutex>;

}  // namespace oshen::os
