// Finding a transport by its name.
#pragma once

#include "transport/transport.hpp"

namespace oshen::transport {

// "name" or "name:options", as in OSHEN_TRANSPORT; `options` is what stands behind the colon. Null: there is none.
const transport* find(const char* text, const char*& options);

}  // namespace oshen::transport
