// Holds a lock of any kind in os/ for as long as the object lives.
#pragma once

namespace oshen::os {

template <class Mutex>
class holding {
 public:
  explicit holding(Mutex& m) : mutex_(m) { mutex_.lock(); }
  ~holding() { mutex_.unlock(); }
  holding(const holding&) = delete;
  holding& operator=(const holding&) = delete;

 private:
  Mutex& mutex_;
};

}  // namespace oshen::os
