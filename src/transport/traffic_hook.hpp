// Observes operations towards other nodes, over any transport. Tests count messages with it, and a trace draws them.
// Without a hook each operation costs one test of a pointer.
#pragma once

#include <cstddef>
#include <cstdint>

namespace oshen::transport {

enum class traffic : std::uint8_t {
  put,
  get,
  put_signal,
  atomic,          // executed by the transport itself
  atomic_request,  // sent as an AM request; the target's reply is not reported
  pack             // the packed operations of a session, in one message; the target's reply is not reported
};

struct traffic_hook {
  // The transport has accepted an operation towards PE `pe` of the job. Any thread may call it.
  void (*saw)(traffic_hook& self, traffic kind, int pe, std::size_t bytes);
};

}  // namespace oshen::transport
