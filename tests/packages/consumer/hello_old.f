      PROGRAM HELLO
      INCLUDE 'shmem.fh'
      INTEGER SHMEM_MY_PE, SHMEM_N_PES
      CALL START_PES(0)
      IF (SHMEM_MY_PE() .EQ. 0) THEN
        PRINT '(I0, A, I0)', SHMEM_N_PES(), ' of ', SHMEM_N_PES()
      END IF
      END
