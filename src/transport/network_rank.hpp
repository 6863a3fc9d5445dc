// Ranks the networks of all libraries on one scale, so that a fast network of either library is preferred to TCP.
#pragma once

namespace oshen::transport {

struct network_rank {
  int score;           // higher is better; see the table in network_rank.cpp
  const char* reason;  // for oshinfo
};

// `name` is a provider of libfabric or a transport of UCX, `device` its domain or device.
network_rank rank_of(const char* name, const char* device);

// False: this machine has no RDMA device, so every library offers TCP at best.
bool has_rdma_device();

}  // namespace oshen::transport
