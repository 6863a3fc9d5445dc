// UCX, opened at run time; the library is not linked. libucp depends on libucs and libuct, so their routines are found
// through it.
#pragma once

#include <ucp/api/ucp.h>
#include <ucs/async/async_fwd.h>
#include <uct/api/uct.h>

#include <cstddef>

namespace oshen::transport::ucx {

struct library {
  decltype(&ucp_get_version_string) version;
  decltype(&ucs_status_string) status_string;

  decltype(&ucp_config_read) config_read;
  decltype(&ucp_config_modify) config_modify;
  decltype(&ucp_config_release) config_release;
  decltype(&ucp_init_version) init;
  decltype(&ucp_cleanup) cleanup;

  decltype(&ucp_worker_create) worker_create;
  decltype(&ucp_worker_destroy) worker_destroy;
  decltype(&ucp_worker_query) worker_query;
  decltype(&ucp_worker_release_address) release_address;
  decltype(&ucp_worker_set_am_recv_handler) set_handler;
  decltype(&ucp_worker_progress) progress;
  decltype(&ucp_worker_get_efd) get_fd;
  decltype(&ucp_worker_arm) arm;
  decltype(&ucp_worker_flush_nbx) worker_flush;

  decltype(&ucp_ep_create) ep_create;
  decltype(&ucp_ep_flush_nbx) ep_flush;

  decltype(&ucp_mem_map) mem_map;
  decltype(&ucp_mem_unmap) mem_unmap;
  decltype(&ucp_rkey_pack) rkey_pack;
  decltype(&ucp_rkey_buffer_release) rkey_buffer_release;
  decltype(&ucp_ep_rkey_unpack) rkey_unpack;
  decltype(&ucp_rkey_destroy) rkey_destroy;

  decltype(&ucp_put_nbx) put;
  decltype(&ucp_get_nbx) get;
  decltype(&ucp_atomic_op_nbx) atomic;
  decltype(&ucp_am_send_nbx) am_send;
  decltype(&ucp_request_free) request_free;

  // For the list of networks (devices.cpp).
  decltype(&uct_query_components) query_components;
  decltype(&uct_release_component_list) release_components;
  decltype(&uct_component_query) component_query;
  decltype(&uct_md_config_read) domain_config_read;
  decltype(&uct_config_release) domain_config_release;
  decltype(&uct_md_open) domain_open;
  decltype(&uct_md_close) domain_close;
  decltype(&uct_md_query_tl_resources) query_devices;
  decltype(&uct_release_tl_resource_list) release_devices;

  // For what a network can do, which only an open interface tells.
  decltype(&ucs_async_context_create) async_create;
  decltype(&ucs_async_context_destroy) async_destroy;
  decltype(&uct_worker_create) device_worker_create;
  decltype(&uct_worker_destroy) device_worker_destroy;
  decltype(&uct_md_iface_config_read) interface_config_read;
  decltype(&uct_iface_open) interface_open;
  decltype(&uct_iface_close) interface_close;
  decltype(&uct_iface_query) interface_query;
};

// Null: the reason is in `why`. The library is never closed, because UCX starts threads and installs handlers.
const library* open_library(char* why, std::size_t room);

}  // namespace oshen::transport::ucx
