/* Functions of the C library read symmetric memory, into which a put arrives. */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char text[16];

int main(void) {
  shmem_init();
  char copy[16] = "";
  if (shmem_my_pe() == 0) {
    char word[6];
    snprintf(word, sizeof word, "%s", "23456");
    shmem_putmem(text, word, sizeof word, 1);
  } else {
#if defined(COPY)
    printf("%s\n", strcpy(copy, text));
#elif defined(LENGTH)
    printf("%zu\n", strlen(text));
#elif defined(NUMBER)
    printf("%d\n", atoi(text));
#elif defined(COMPARE)
    printf("%d\n", strcmp(text, "23456") == 0);
#elif defined(PRINT)
    printf("%d %.*s|%5.3f %s %ld\n", 1, 2, "ab", 0.5, text, 2L);
#elif defined(FORMAT)
    snprintf(copy, sizeof copy, "%s", text);
    puts(copy);
#else
    fwrite(text, 1, 2, stdout);
#endif
  }
  (void)copy;
  shmem_finalize();
  return 0;
}
