// A static object, constructed before main. A member function initialises the library, and the destructor finalizes it.
#include <shmem.h>

#include <cstdio>

namespace {

struct job {
  long* block = nullptr;
  void start() {
    shmem_init();
    block = static_cast<long*>(shmem_malloc(64));
  }
  ~job() {
    if (block == nullptr) return;
    std::printf("PE %d leaves\n", shmem_my_pe());
    shmem_free(block);
    shmem_finalize();
  }
};

job the_job;

}  // namespace

int main() {
  the_job.start();
  shmem_barrier_all();
}
