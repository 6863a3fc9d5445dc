// A table of plans that LAMMPS holds as pointers to types of its own, although they are objects of the accelerator. A
// pointer that is not in the table is a plan of LAMMPS, made before the accelerator was loaded.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

namespace oshen::lammps {

template <class Foreign, class Object>
class handle_table {
 public:
  Foreign* add(std::unique_ptr<Object> made) {
    table_.push_back(std::move(made));
    return reinterpret_cast<Foreign*>(table_.back().get());
  }
  Object* find(Foreign* handle) const {
    const auto found = position(handle);
    return found == table_.end() ? nullptr : found->get();
  }
  bool remove(Foreign* handle) {
    const auto found = position(handle);
    if (found == table_.end()) return false;
    table_.erase(found);
    return true;
  }
  // In order of creation, which is the same on all ranks, because destruction may be collective.
  void clear() {
    while (!table_.empty()) table_.erase(table_.begin());
  }

 private:
  auto position(Foreign* handle) const {
    return std::find_if(table_.begin(), table_.end(),
                        [handle](const auto& object) { return reinterpret_cast<Foreign*>(object.get()) == handle; });
  }
  std::vector<std::unique_ptr<Object>> table_;  // few: LAMMPS makes about ten plans
};

}  // namespace oshen::lammps
