// Functions of fftw3-mpi.h and fftw3.h in one precision. The file that includes this one defines SERIAL, MPI and REAL.
// One-dimensional, real-to-real and transposing plans have no replacement here: programs call FFTW-MPI directly.
#include <fftw3.h>
#include <mpi.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "layout.hpp"
#include "original.hpp"
#include "plan.hpp"

#define NAME_OF_1(name) #name
#define NAME_OF(name) NAME_OF_1(name)
#define ORIGINAL(name) find_original<decltype(name)>(NAME_OF(name))
#define VISIBLE __attribute__((visibility("default")))

namespace {

using namespace oshen::fftw_mpi;
using fftw_handle = SERIAL(plan);
using complex_number = SERIAL(complex);
using count_t = std::ptrdiff_t;

constexpr bool is_single = std::is_same_v<REAL, float>;

plan* ours(fftw_handle handle) { return plan::is_one(handle) ? reinterpret_cast<plan*>(handle) : nullptr; }

// Rank 0 says that a plan is left to FFTW-MPI.
void say_left(MPI_Comm comm, const char* routine, const std::string& why, bool there_is_fftw) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  if (rank != 0) return;
  std::fprintf(
      stderr, "oshen-fftw-mpi: %s: %s: %s\n", routine, why.c_str(),
      there_is_fftw ? "this plan is left to FFTW-MPI" : "the plan is NULL, because the program has no libfftw3_mpi");
}

// Makes a plan, or lets FFTW-MPI make it: `fallback` calls the original function, which may be null.
template <class Function, class Fallback>
fftw_handle make(const char* routine, Function* original_function, const request& wanted, std::string why,
                 const Fallback& fallback) {
  if (!fftw_is_planning) {
    if (why.empty()) {
      if (auto made = plan::make(wanted, why)) return reinterpret_cast<fftw_handle>(made.release());
    }
    say_left(wanted.comm, routine, why, original_function != nullptr);
  }
  if (original_function == nullptr) return nullptr;
  if (fftw_is_planning) return fallback(original_function);
  const planning_by_fftw planning;
  return fallback(original_function);
}

// Why a plan with these block sizes has no replacement; empty if it has one.
std::string blocks_unsupported(count_t block, count_t other_block) {
  return block > 0 || other_block > 0 ? "block sizes: expected FFTW_MPI_DEFAULT_BLOCK" : "";
}

std::vector<count_t> dimensions(int rank, const count_t* n) { return {n, n + std::max(rank, 0)}; }

count_t local_size(const std::vector<count_t>& n, count_t howmany, count_t block0, count_t block1, MPI_Comm comm,
                   range& part0, range& part1) {
  int ranks = 1, rank = 0;
  MPI_Comm_size(comm, &ranks);
  MPI_Comm_rank(comm, &rank);
  const count_t blocks[2] = {block0, block1};
  part0 = part_of(n[0], block0, ranks, rank);
  part1 = part_of(n[1], block1, ranks, rank);
  return local_elements(n, blocks, ranks, rank) * howmany;
}

}  // namespace

extern "C" {

// ---- start, end, wisdom

VISIBLE void MPI(init)() {
  if (auto* original = ORIGINAL(MPI(init))) original();
}

VISIBLE void MPI(cleanup)() {
  if (auto* original = ORIGINAL(MPI(cleanup))) original();
}

VISIBLE void MPI(gather_wisdom)(MPI_Comm comm) {
  if (auto* original = ORIGINAL(MPI(gather_wisdom))) original(comm);
}

VISIBLE void MPI(broadcast_wisdom)(MPI_Comm comm) {
  if (auto* original = ORIGINAL(MPI(broadcast_wisdom))) original(comm);
}

// ---- sizes

VISIBLE count_t MPI(local_size_many_transposed)(int rnk, const count_t* n, count_t howmany, count_t block0,
                                                count_t block1, MPI_Comm comm, count_t* n0, count_t* start0,
                                                count_t* n1, count_t* start1) {
  if (auto* original = ORIGINAL(MPI(local_size_many_transposed)))
    return original(rnk, n, howmany, block0, block1, comm, n0, start0, n1, start1);
  range part0, part1;
  const count_t elements = local_size(dimensions(rnk, n), howmany, block0, block1, comm, part0, part1);
  *n0 = part0.size, *start0 = part0.low, *n1 = part1.size, *start1 = part1.low;
  return elements;
}

VISIBLE count_t MPI(local_size_many)(int rnk, const count_t* n, count_t howmany, count_t block0, MPI_Comm comm,
                                     count_t* n0, count_t* start0) {
  count_t n1, start1;
  return MPI(local_size_many_transposed)(rnk, n, howmany, block0, 0, comm, n0, start0, &n1, &start1);
}

VISIBLE count_t MPI(local_size_transposed)(int rnk, const count_t* n, MPI_Comm comm, count_t* n0, count_t* start0,
                                           count_t* n1, count_t* start1) {
  return MPI(local_size_many_transposed)(rnk, n, 1, 0, 0, comm, n0, start0, n1, start1);
}

VISIBLE count_t MPI(local_size)(int rnk, const count_t* n, MPI_Comm comm, count_t* n0, count_t* start0) {
  return MPI(local_size_many)(rnk, n, 1, 0, comm, n0, start0);
}

VISIBLE count_t MPI(local_size_2d)(count_t n0, count_t n1, MPI_Comm comm, count_t* local_n0, count_t* start0) {
  const count_t n[] = {n0, n1};
  return MPI(local_size)(2, n, comm, local_n0, start0);
}

VISIBLE count_t MPI(local_size_2d_transposed)(count_t n0, count_t n1, MPI_Comm comm, count_t* local_n0, count_t* start0,
                                              count_t* local_n1, count_t* start1) {
  const count_t n[] = {n0, n1};
  return MPI(local_size_transposed)(2, n, comm, local_n0, start0, local_n1, start1);
}

VISIBLE count_t MPI(local_size_3d)(count_t n0, count_t n1, count_t n2, MPI_Comm comm, count_t* local_n0,
                                   count_t* start0) {
  const count_t n[] = {n0, n1, n2};
  return MPI(local_size)(3, n, comm, local_n0, start0);
}

VISIBLE count_t MPI(local_size_3d_transposed)(count_t n0, count_t n1, count_t n2, MPI_Comm comm, count_t* local_n0,
                                              count_t* start0, count_t* local_n1, count_t* start1) {
  const count_t n[] = {n0, n1, n2};
  return MPI(local_size_transposed)(3, n, comm, local_n0, start0, local_n1, start1);
}

// ---- plans

VISIBLE fftw_handle MPI(plan_many_dft)(int rnk, const count_t* n, count_t howmany, count_t block, count_t tblock,
                                       complex_number* in, complex_number* out, MPI_Comm comm, int sign,
                                       unsigned flags) {
  const request wanted{dimensions(rnk, n), howmany, transform_type::complex, sign, flags, is_single, comm, in, out};
  return make(NAME_OF(MPI(plan_many_dft)), ORIGINAL(MPI(plan_many_dft)), wanted, blocks_unsupported(block, tblock),
              [&](auto* original) { return original(rnk, n, howmany, block, tblock, in, out, comm, sign, flags); });
}

VISIBLE fftw_handle MPI(plan_dft)(int rnk, const count_t* n, complex_number* in, complex_number* out, MPI_Comm comm,
                                  int sign, unsigned flags) {
  return MPI(plan_many_dft)(rnk, n, 1, 0, 0, in, out, comm, sign, flags);
}

VISIBLE fftw_handle MPI(plan_dft_2d)(count_t n0, count_t n1, complex_number* in, complex_number* out, MPI_Comm comm,
                                     int sign, unsigned flags) {
  const count_t n[] = {n0, n1};
  return MPI(plan_dft)(2, n, in, out, comm, sign, flags);
}

VISIBLE fftw_handle MPI(plan_dft_3d)(count_t n0, count_t n1, count_t n2, complex_number* in, complex_number* out,
                                     MPI_Comm comm, int sign, unsigned flags) {
  const count_t n[] = {n0, n1, n2};
  return MPI(plan_dft)(3, n, in, out, comm, sign, flags);
}

VISIBLE fftw_handle MPI(plan_many_dft_r2c)(int rnk, const count_t* n, count_t howmany, count_t iblock, count_t oblock,
                                           REAL* in, complex_number* out, MPI_Comm comm, unsigned flags) {
  const request wanted{
      dimensions(rnk, n), howmany, transform_type::real_to_complex, -1, flags, is_single, comm, in, out};
  return make(NAME_OF(MPI(plan_many_dft_r2c)), ORIGINAL(MPI(plan_many_dft_r2c)), wanted,
              blocks_unsupported(iblock, oblock),
              [&](auto* original) { return original(rnk, n, howmany, iblock, oblock, in, out, comm, flags); });
}

VISIBLE fftw_handle MPI(plan_dft_r2c)(int rnk, const count_t* n, REAL* in, complex_number* out, MPI_Comm comm,
                                      unsigned flags) {
  return MPI(plan_many_dft_r2c)(rnk, n, 1, 0, 0, in, out, comm, flags);
}

VISIBLE fftw_handle MPI(plan_dft_r2c_2d)(count_t n0, count_t n1, REAL* in, complex_number* out, MPI_Comm comm,
                                         unsigned flags) {
  const count_t n[] = {n0, n1};
  return MPI(plan_dft_r2c)(2, n, in, out, comm, flags);
}

VISIBLE fftw_handle MPI(plan_dft_r2c_3d)(count_t n0, count_t n1, count_t n2, REAL* in, complex_number* out,
                                         MPI_Comm comm, unsigned flags) {
  const count_t n[] = {n0, n1, n2};
  return MPI(plan_dft_r2c)(3, n, in, out, comm, flags);
}

VISIBLE fftw_handle MPI(plan_many_dft_c2r)(int rnk, const count_t* n, count_t howmany, count_t iblock, count_t oblock,
                                           complex_number* in, REAL* out, MPI_Comm comm, unsigned flags) {
  const request wanted{
      dimensions(rnk, n), howmany, transform_type::complex_to_real, 1, flags, is_single, comm, in, out};
  return make(NAME_OF(MPI(plan_many_dft_c2r)), ORIGINAL(MPI(plan_many_dft_c2r)), wanted,
              blocks_unsupported(iblock, oblock),
              [&](auto* original) { return original(rnk, n, howmany, iblock, oblock, in, out, comm, flags); });
}

VISIBLE fftw_handle MPI(plan_dft_c2r)(int rnk, const count_t* n, complex_number* in, REAL* out, MPI_Comm comm,
                                      unsigned flags) {
  return MPI(plan_many_dft_c2r)(rnk, n, 1, 0, 0, in, out, comm, flags);
}

VISIBLE fftw_handle MPI(plan_dft_c2r_2d)(count_t n0, count_t n1, complex_number* in, REAL* out, MPI_Comm comm,
                                         unsigned flags) {
  const count_t n[] = {n0, n1};
  return MPI(plan_dft_c2r)(2, n, in, out, comm, flags);
}

VISIBLE fftw_handle MPI(plan_dft_c2r_3d)(count_t n0, count_t n1, count_t n2, complex_number* in, REAL* out,
                                         MPI_Comm comm, unsigned flags) {
  const count_t n[] = {n0, n1, n2};
  return MPI(plan_dft_c2r)(3, n, in, out, comm, flags);
}

// ---- execution

VISIBLE void SERIAL(execute)(const fftw_handle handle) {
  static auto* const next = original<decltype(SERIAL(execute))>(NAME_OF(SERIAL(execute)));
  if (const plan* found = ours(handle)) return found->run();
  next(handle);
}

VISIBLE void MPI(execute_dft)(fftw_handle handle, complex_number* in, complex_number* out) {
  if (const plan* found = ours(handle)) return found->run(in, out);
  if (auto* original = ORIGINAL(MPI(execute_dft))) original(handle, in, out);
}

VISIBLE void MPI(execute_dft_r2c)(fftw_handle handle, REAL* in, complex_number* out) {
  if (const plan* found = ours(handle)) return found->run(in, out);
  if (auto* original = ORIGINAL(MPI(execute_dft_r2c))) original(handle, in, out);
}

VISIBLE void MPI(execute_dft_c2r)(fftw_handle handle, complex_number* in, REAL* out) {
  if (const plan* found = ours(handle)) return found->run(in, out);
  if (auto* original = ORIGINAL(MPI(execute_dft_c2r))) original(handle, in, out);
}

// ---- other calls that take a plan

VISIBLE void SERIAL(destroy_plan)(fftw_handle handle) {
  static auto* const next = original<decltype(SERIAL(destroy_plan))>(NAME_OF(SERIAL(destroy_plan)));
  if (const plan* found = ours(handle)) {
    delete found;
  } else {
    next(handle);
  }
}

VISIBLE void SERIAL(fprint_plan)(const fftw_handle handle, FILE* file) {
  static auto* const next = original<decltype(SERIAL(fprint_plan))>(NAME_OF(SERIAL(fprint_plan)));
  if (const plan* found = ours(handle)) {
    std::fputs(found->text().c_str(), file);
  } else {
    next(handle, file);
  }
}

VISIBLE void SERIAL(print_plan)(const fftw_handle handle) { SERIAL(fprint_plan)(handle, stdout); }

VISIBLE char* SERIAL(sprint_plan)(const fftw_handle handle) {
  static auto* const next = original<decltype(SERIAL(sprint_plan))>(NAME_OF(SERIAL(sprint_plan)));
  const plan* found = ours(handle);
  return found != nullptr ? strdup(found->text().c_str()) : next(handle);
}

VISIBLE void SERIAL(flops)(const fftw_handle handle, double* additions, double* multiplications, double* both) {
  static auto* const next = original<decltype(SERIAL(flops))>(NAME_OF(SERIAL(flops)));
  const plan* found = ours(handle);
  if (found == nullptr) return next(handle, additions, multiplications, both);
  *additions = 0.6 * found->operations();
  *multiplications = 0.4 * found->operations();
  *both = 0;
}

VISIBLE double SERIAL(cost)(const fftw_handle handle) {
  static auto* const next = original<decltype(SERIAL(cost))>(NAME_OF(SERIAL(cost)));
  const plan* found = ours(handle);
  return found != nullptr ? found->operations() : next(handle);
}

VISIBLE double SERIAL(estimate_cost)(const fftw_handle handle) {
  static auto* const next = original<decltype(SERIAL(estimate_cost))>(NAME_OF(SERIAL(estimate_cost)));
  const plan* found = ours(handle);
  return found != nullptr ? found->operations() : next(handle);
}

}  // extern "C"
