// libfabric, opened at run time; the library is not linked. The inline functions of its headers call through tables of
// the provider. This struct holds the few exported routines.
#pragma once

#include <rdma/fabric.h>

#include <cstddef>
#include <cstdint>

namespace oshen::transport::ofi {

struct library {
  int (*getinfo)(std::uint32_t version, const char* node, const char* service, std::uint64_t flags,
                 const fi_info* hints, fi_info** info);
  void (*freeinfo)(fi_info* info);
  fi_info* (*dupinfo)(const fi_info* info);
  int (*fabric)(fi_fabric_attr* attr, fid_fabric** fabric, void* context);
  const char* (*strerror)(int error);
  std::uint32_t (*version)();
};

inline constexpr std::size_t room_for_message = 5120;  // including the provider's header

// The library reads its settings when it is opened for the first time; `n_pes` decides some of them. Null: the reason
// is in `why`. The library is never closed, because providers start threads and install handlers.
const library* open_library(int n_pes, char* why, std::size_t room);

}  // namespace oshen::transport::ofi
