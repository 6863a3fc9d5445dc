// The root alone combines the sources, block by block; its flag slot tells the others that theirs have been read.
#include "coll/choosing/algorithms.hpp"
#include "coll/choosing/cost.hpp"
#include "coll/protocol/partition.hpp"

namespace oshen::coll {
namespace {

void run_linear(const task& job) {
  team& t = job.members;
  if (t.my_pe != job.root) {
    post(t);
    await(job, job.root);
    return;
  }
  await_all(job);  // a source must not be read before its PE has entered
  combine_part(job, {0, job.elements}, [&](std::size_t offset, const char* sum, std::size_t bytes) {
    memcpy(job.dest + offset, sum, bytes);
  });
  post(t);
}

double cost(const setting& s) {
  return steps(s, 2) + lines(s, s.n_pes) + copies_alone(s, static_cast<double>(s.bytes) * s.n_pes);
}

}  // namespace

constexpr algorithm linear_reduce_to_root{
    .collective = kind::reduce_to_root, .name = "linear", .how = design::single_copy,
    .about = "the root combines all sources in place",
    .steps = "2", .traffic = "n flags; n b read, all by the root",
    .cost = cost, .run = run_linear};

}  // namespace oshen::coll
