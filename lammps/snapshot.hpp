// A copy of a user's buffer, for the mode `check`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

namespace oshen::lammps {

class snapshot {
 public:
  snapshot(const void* from, std::size_t bytes) : bytes_(bytes) {
    if (bytes != 0) std::memcpy(bytes_.data(), from, bytes);
  }
  void restore(void* to) const {
    if (!bytes_.empty()) std::memcpy(to, bytes_.data(), bytes_.size());
  }
  // Offset of the first byte that differs, or size() if none does.
  std::size_t difference(const void* with) const {
    const auto* other = static_cast<const unsigned char*>(with);
    const auto at = std::mismatch(bytes_.begin(), bytes_.end(), other).first;
    return static_cast<std::size_t>(at - bytes_.begin());
  }
  const void* data() const { return bytes_.data(); }
  std::size_t size() const { return bytes_.size(); }

 private:
  std::vector<unsigned char> bytes_;
};

}  // namespace oshen::lammps
