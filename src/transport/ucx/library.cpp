#include "transport/ucx/library.hpp"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include <type_traits>

#include "os/mutex.hpp"

namespace oshen::transport::ucx {
namespace {

constexpr const char* file = "libucp.so.0";

constinit library opened{};
constinit os::mutex opening;

// The name of the first routine that is missing; null: all are there.
const char* find_all(void* from, library& l) {
  const char* missing = nullptr;
  const auto find = [&](const char* name, auto& routine) {
    routine = reinterpret_cast<std::remove_reference_t<decltype(routine)>>(dlsym(from, name));
    if (routine == nullptr && missing == nullptr) missing = name;
  };
  find("ucp_get_version_string", l.version);
  find("ucs_status_string", l.status_string);
  find("ucp_config_read", l.config_read);
  find("ucp_config_modify", l.config_modify);
  find("ucp_config_release", l.config_release);
  find("ucp_init_version", l.init);
  find("ucp_cleanup", l.cleanup);
  find("ucp_worker_create", l.worker_create);
  find("ucp_worker_destroy", l.worker_destroy);
  find("ucp_worker_query", l.worker_query);
  find("ucp_worker_release_address", l.release_address);
  find("ucp_worker_set_am_recv_handler", l.set_handler);
  find("ucp_worker_progress", l.progress);
  find("ucp_worker_get_efd", l.get_fd);
  find("ucp_worker_arm", l.arm);
  find("ucp_worker_flush_nbx", l.worker_flush);
  find("ucp_ep_create", l.ep_create);
  find("ucp_ep_flush_nbx", l.ep_flush);
  find("ucp_mem_map", l.mem_map);
  find("ucp_mem_unmap", l.mem_unmap);
  find("ucp_rkey_pack", l.rkey_pack);
  find("ucp_rkey_buffer_release", l.rkey_buffer_release);
  find("ucp_ep_rkey_unpack", l.rkey_unpack);
  find("ucp_rkey_destroy", l.rkey_destroy);
  find("ucp_put_nbx", l.put);
  find("ucp_get_nbx", l.get);
  find("ucp_atomic_op_nbx", l.atomic);
  find("ucp_am_send_nbx", l.am_send);
  find("ucp_request_free", l.request_free);
  find("uct_query_components", l.query_components);
  find("uct_release_component_list", l.release_components);
  find("uct_component_query", l.component_query);
  find("uct_md_config_read", l.domain_config_read);
  find("uct_config_release", l.domain_config_release);
  find("uct_md_open", l.domain_open);
  find("uct_md_close", l.domain_close);
  find("uct_md_query_tl_resources", l.query_devices);
  find("uct_release_tl_resource_list", l.release_devices);
  find("ucs_async_context_create", l.async_create);
  find("ucs_async_context_destroy", l.async_destroy);
  find("uct_worker_create", l.device_worker_create);
  find("uct_worker_destroy", l.device_worker_destroy);
  find("uct_md_iface_config_read", l.interface_config_read);
  find("uct_iface_open", l.interface_open);
  find("uct_iface_close", l.interface_close);
  find("uct_iface_query", l.interface_query);
  return missing;
}

// explain() reports errors once, with the OpenSHMEM routine; UCX would print them a second time.
void hush(void* from) {
  if (getenv("UCX_LOG_LEVEL") != nullptr) return;
  const auto set = reinterpret_cast<int (*)(const char*, const char*)>(dlsym(from, "ucs_global_opts_set_value"));
  if (set != nullptr) set("LOG_LEVEL", "fatal");
}

}  // namespace

const library* open_library(char* why, std::size_t room) {
  os::locked hold(opening);
  if (opened.version != nullptr) return &opened;
  void* from = dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (from == nullptr) {
    snprintf(why, room, "%s cannot be opened (%.120s); install libucx0, or set LD_LIBRARY_PATH", file, dlerror());
    return nullptr;
  }
  library l{};
  if (const char* missing = find_all(from, l); missing != nullptr) {
    snprintf(why, room, "%s lacks %s: UCX 1.13 or later is needed", file, missing);
    return nullptr;
  }
  hush(from);
  opened = l;
  return &opened;
}

}  // namespace oshen::transport::ucx
