// Implementations of the routines that are not typed: life cycle, queries, heap, teams, contexts, requests, graphs.
// Their parameters are those of the standard, after the name of the called routine. include/shmem.h and shmemx.h
// describe them.
#pragma once

#include <shmem.h>
#include <shmemx.h>

#include <cstddef>
#include <cstdint>

namespace oshen::api {

// life.cpp
void init(const char* routine);
int init_thread(const char* routine, int requested, int* provided);
int init_attr(const char* routine, shmemx_init_attr_t* attr);
void start_pes(const char* routine, int npes);
void finalize(const char* routine);
[[noreturn]] void global_exit(const char* routine, int status);
void query_initialized(const char* routine, int* initialized);
void query_thread(const char* routine, int* provided);

// query.cpp
int my_pe(const char* routine);
int n_pes(const char* routine);
int pe_accessible(const char* routine, int pe);
int addr_accessible(const char* routine, const void* addr, int pe);
void* ptr(const char* routine, const void* dest, int pe);
void* team_ptr(const char* routine, shmem_team_t team, const void* dest, int pe);
void info_get_version(const char* routine, int* major, int* minor);
void info_get_name(const char* routine, char* name);
double wtime();
inline void pcontrol(const char*, int) {}
inline void no_op() {}

// performance.cpp
int pvar_num(const char* routine);
void pvar_get_name(const char* routine, int pvar, char* name);
int pvar_start(const char* routine);
void pvar_stop(const char* routine);
std::uint64_t pvar_read(const char* routine, int pvar, int pe);

// heap.cpp
void* malloc(const char* routine, std::size_t size);
void* malloc_with_hints(const char* routine, std::size_t size, long hints);
void* calloc(const char* routine, std::size_t count, std::size_t size);
void* align(const char* routine, std::size_t alignment, std::size_t size);
void* realloc(const char* routine, void* ptr, std::size_t size);
void free(const char* routine, void* ptr);
void free_no_barrier(const char* routine, void* ptr);
void* team_malloc(const char* routine, shmem_team_t team, std::size_t size);
void* team_align(const char* routine, shmem_team_t team, std::size_t alignment, std::size_t size);
void* team_calloc(const char* routine, shmem_team_t team, std::size_t count, std::size_t size);
void team_free(const char* routine, shmem_team_t team, void* ptr);
int heap_info(const char* routine, shmemx_heap_info_t* info, std::size_t size);

// team.cpp
int team_my_pe(const char* routine, shmem_team_t team);
int team_n_pes(const char* routine, shmem_team_t team);
int team_get_config(const char* routine, shmem_team_t team, long config_mask, shmem_team_config_t* config);
int team_translate_pe(const char* routine, shmem_team_t src_team, int src_pe, shmem_team_t dest_team);
int team_split_strided(const char* routine, shmem_team_t parent_team, int start, int stride, int size,
                       const shmem_team_config_t* config, long config_mask, shmem_team_t* new_team);
int team_split_2d(const char* routine, shmem_team_t parent_team, int xrange, const shmem_team_config_t* xaxis_config,
                  long xaxis_mask, shmem_team_t* xaxis_team, const shmem_team_config_t* yaxis_config, long yaxis_mask,
                  shmem_team_t* yaxis_team);
int team_split_color(const char* routine, shmem_team_t parent, int color, int key, const shmem_team_config_t* config,
                     long config_mask, shmem_team_t* new_team);
int team_create_from_list(const char* routine, const int* pes, int n, shmem_team_t* team);
void team_destroy(const char* routine, shmem_team_t team);

// request.cpp
// Sets the handle of non-blocking collective `number` of the team, which has been started. 0: it is complete already.
int set_request(const char* routine, shmem_team_t team, std::uint64_t number, shmemx_request_t* request);
int coll_test(const char* routine, shmemx_request_t* request);
void coll_wait(const char* routine, shmemx_request_t* request);
void coll_wait_all(const char* routine, shmemx_request_t* requests, std::size_t n);
std::size_t coll_wait_any(const char* routine, shmemx_request_t* requests, std::size_t n);

// graph.cpp
int graph_create(const char* routine, shmem_team_t team, const shmemx_edge_t* in, std::size_t n_in,
                 const shmemx_edge_t* out, std::size_t n_out, std::size_t element_size, int buffers,
                 shmemx_graph_t* graph);
void graph_start(const char* routine, shmemx_graph_t graph, void* dest, const void* source);
int graph_test(const char* routine, shmemx_graph_t graph);
void graph_wait(const char* routine, shmemx_graph_t graph);
void graph_destroy(const char* routine, shmemx_graph_t graph);

// context.cpp
int ctx_create(const char* routine, long options, shmem_ctx_t* ctx);
int team_create_ctx(const char* routine, shmem_team_t team, long options, shmem_ctx_t* ctx);
void ctx_destroy(const char* routine, shmem_ctx_t ctx);
int ctx_get_team(const char* routine, shmem_ctx_t ctx, shmem_team_t* team);

}  // namespace oshen::api
