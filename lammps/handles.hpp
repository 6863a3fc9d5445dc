// Plans that LAMMPS holds as pointers to types of its own, and that are objects of ours. A pointer
// that is not in the table is LAMMPS' own, made before we were there.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

namespace oshen::lammps {

template <class Foreign, class Ours>
class handles {
 public:
  Foreign* give(std::unique_ptr<Ours> made) {
    table_.push_back(std::move(made));
    return reinterpret_cast<Foreign*>(table_.back().get());
  }
  Ours* find(Foreign* handle) const {
    const auto found = place(handle);
    return found == table_.end() ? nullptr : found->get();
  }
  bool drop(Foreign* handle) {
    const auto found = place(handle);
    if (found == table_.end()) return false;
    table_.erase(found);
    return true;
  }
  // In the order in which they were made, which is the same on all ranks: ends may be collective.
  void clear() {
    while (!table_.empty()) table_.erase(table_.begin());
  }

 private:
  auto place(Foreign* handle) const {
    return std::find_if(table_.begin(), table_.end(), [handle](const auto& ours) {
      return reinterpret_cast<Foreign*>(ours.get()) == handle;
    });
  }
  std::vector<std::unique_ptr<Ours>> table_;  // few: LAMMPS makes some ten plans
};

}  // namespace oshen::lammps
