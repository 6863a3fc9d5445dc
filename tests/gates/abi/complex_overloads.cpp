// SPDX-License-Identifier: BSD-3-Clause
// C++ programs can pass std::complex arrays to the overloads of sums, products and scans, and to the typed functions of
// C. Arrays of other classes do not compile.
#include <shmem.h>

#include <complex>
#include <cstdio>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>

static const char* entered;
static const void* entered_dest;

#define DEFINE(stem, call)                                                                                      \
  extern "C" int shmem_##stem##_##call(shmem_team_t, oshen_##stem##_t* dest, const oshen_##stem##_t*, size_t) { \
    entered = "shmem_" #stem "_" #call;                                                                         \
    entered_dest = dest;                                                                                        \
    return 7;                                                                                                   \
  }
DEFINE(complexd, sum_reduce)
DEFINE(complexf, sum_reduce)
DEFINE(complexd, prod_reduce)
DEFINE(complexf, prod_reduce)
DEFINE(complexd, sum_inscan)
DEFINE(complexf, sum_inscan)
DEFINE(complexd, sum_exscan)
DEFINE(complexf, sum_exscan)

static int wrong;

static void check(const char* expected, const void* dest, int result) {
  if (std::strcmp(entered, expected) != 0 || dest != entered_dest || result != 7) {
    std::printf("%s entered instead of %s\n", entered, expected);
    wrong++;
  }
}

// Whether shmem_sum_reduce takes arrays of T.
template <class T, class = void>
struct reducible : std::false_type {};
template <class T>
struct reducible<T, std::void_t<decltype(shmem_sum_reduce(SHMEM_TEAM_WORLD, std::declval<T*>(),
                                                          std::declval<const T*>(), size_t{}))>> : std::true_type {};
static_assert(reducible<double>::value && reducible<std::complex<double>>::value && reducible<oshen_complexf_t>::value);
static_assert(!reducible<std::complex<long double>>::value && !reducible<std::string>::value &&
              !reducible<bool>::value);

// Whether shmem_complexd_sum_reduce takes arrays of T.
template <class T, class = void>
struct reducible_as_complexd : std::false_type {};
template <class T>
struct reducible_as_complexd<T, std::void_t<decltype(shmem_complexd_sum_reduce(SHMEM_TEAM_WORLD, std::declval<T*>(),
                                                                               std::declval<const T*>(), size_t{}))>>
    : std::true_type {};
static_assert(reducible_as_complexd<std::complex<double>>::value && reducible_as_complexd<oshen_complexd_t>::value);
static_assert(!reducible_as_complexd<std::complex<float>>::value && !reducible_as_complexd<double>::value);

void check_names_of_c() {
  static std::complex<double> d[2];
  static std::complex<float> f[2];
  static oshen_complexd_t c[2];
  check("shmem_complexd_sum_reduce", d, shmem_complexd_sum_reduce(SHMEM_TEAM_WORLD, d, d, 2));
  check("shmem_complexf_prod_reduce", f, shmem_complexf_prod_reduce(SHMEM_TEAM_WORLD, f, f, 2));
  check("shmem_complexd_sum_inscan", d, shmem_complexd_sum_inscan(SHMEM_TEAM_WORLD, d, d, 2));
  check("shmem_complexd_sum_reduce", c, shmem_complexd_sum_reduce(SHMEM_TEAM_WORLD, c, c, 2));
}

template <class Real>
void check_all(const std::string& stem) {
  static std::complex<Real> dest[2], source[2];
  const auto name = [&](const char* call) { return "shmem_" + stem + "_" + call; };
  check(name("sum_reduce").c_str(), dest, shmem_sum_reduce(SHMEM_TEAM_WORLD, dest, source, 2));
  check(name("prod_reduce").c_str(), dest, shmem_prod_reduce(SHMEM_TEAM_WORLD, dest, source, 2));
  check(name("sum_inscan").c_str(), dest, shmem_sum_inscan(SHMEM_TEAM_WORLD, dest, source, 2));
  check(name("sum_exscan").c_str(), dest, shmem_sum_exscan(SHMEM_TEAM_WORLD, dest, source, 2));
}

int main() {
  check_all<double>("complexd");
  check_all<float>("complexf");
  check_names_of_c();
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
