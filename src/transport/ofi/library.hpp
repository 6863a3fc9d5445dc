// libfabric, opened at run time: nothing of it is linked. What its headers define inline goes through tables of the
// provider; these few routines are the rest.
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

inline constexpr std::size_t room_for_message = 5120;  // with the provider's header

// Null with the reason in `why`. Once opened it stays: providers have threads and handlers of their own.
const library* open_library(char* why, std::size_t room);

}  // namespace oshen::transport::ofi
