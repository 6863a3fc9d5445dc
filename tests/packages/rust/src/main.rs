// The constant handles of C are casts in macros, which bindgen does not read: OSHEN_TEAM_WORLD is SHMEM_TEAM_WORLD as a number.
use openshmem_sys::shmem::{
    shmem_finalize, shmem_init, shmem_sync_all, shmem_team_my_pe, shmem_team_n_pes, shmem_team_t, OSHEN_TEAM_WORLD,
};

fn main() {
    unsafe {
        shmem_init();
        shmem_sync_all();
        let world = OSHEN_TEAM_WORLD as usize as shmem_team_t;
        if shmem_team_my_pe(world) == 0 {
            println!("{0} of {0}", shmem_team_n_pes(world));
        }
        shmem_finalize();
    }
}
