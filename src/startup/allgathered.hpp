// One record of each PE, gathered through the launcher during start-up.
#pragma once

#include <stdlib.h>

#include "base/log.hpp"
#include "bootstrap/launcher.hpp"

namespace oshen {

template <class Record>
class allgathered {
 public:
  status gather(bootstrap::launcher& launcher, const Record& mine) {
    records_ = static_cast<Record*>(calloc(static_cast<std::size_t>(launcher.n_pes), sizeof(Record)));
    if (records_ == nullptr) {
      log::error("no memory for the start-up records of %d PEs", launcher.n_pes);
      return status::no_memory;
    }
    return launcher.allgather(&mine, records_, sizeof(Record));
  }
  ~allgathered() { free(records_); }
  allgathered() = default;
  allgathered(const allgathered&) = delete;
  allgathered& operator=(const allgathered&) = delete;
  const Record& operator[](int pe) const { return records_[pe]; }

 private:
  Record* records_ = nullptr;
};

}  // namespace oshen
