// An array of one record per PE, gathered for the time of start-up.
#pragma once

#include <stdlib.h>

#include "boot/boot.hpp"

namespace oshen {

template <class Record>
class roll_call {
 public:
  status gather(boot::boot& launcher, const Record& mine) {
    records_ = static_cast<Record*>(calloc(static_cast<std::size_t>(launcher.n_pes), sizeof(Record)));
    if (records_ == nullptr) return status::no_memory;
    return launcher.allgather(&mine, records_, sizeof(Record));
  }
  ~roll_call() { free(records_); }
  roll_call() = default;
  roll_call(const roll_call&) = delete;
  roll_call& operator=(const roll_call&) = delete;
  const Record& operator[](int pe) const { return records_[pe]; }

 private:
  Record* records_ = nullptr;
};

}  // namespace oshen
