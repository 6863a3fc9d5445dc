use openshmem_sys::shmem::{shmem_finalize, shmem_init, shmem_my_pe, shmem_n_pes, shmem_sync_all};

fn main() {
    unsafe {
        shmem_init();
        shmem_sync_all();
        if shmem_my_pe() == 0 {
            println!("{0} of {0}", shmem_n_pes());
        }
        shmem_finalize();
    }
}
