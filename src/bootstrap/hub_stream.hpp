// The hub's record of a PE. It is private to the hub's two source files.
#pragma once

#include "bootstrap/hub.hpp"

namespace oshen::bootstrap {

struct hub::pe_stream {
  int fd;  // -1: not connected yet, or closed
  pe_state state;
  std::int32_t pid;
  pe_endpoint listens_at;
  wire::header header;  // of the message that is being received
  std::size_t head_done, body_done;
  bool in_body, has_block;
  bool has_parent;  // its parent sends it the results
  wire::signer in_signer, out_signer;
  wire::header result_header, notice_header;
  const char* result;  // the body of the result that is being sent; the end notice follows it
  std::size_t result_bytes, result_done, notice_done;
};

}  // namespace oshen::bootstrap
