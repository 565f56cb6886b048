/* Loaded before the C library into a server or a database: it counts what reaches the disk, and
 * makes the disk and the clock misbehave as the campaign says. `harm.py` shares the struct. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { WELL, STALLED, FULL, READ_ONLY };

static struct control {
    atomic_long mode;   /* one of the above */
    atomic_long offset; /* seconds by which the clock is wrong */
    atomic_long syncs;  /* how often the disk said that all is on it */
} *control;

static struct control nothing;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("DENIABLE_HARM");
    int file = path ? open(path, O_RDWR) : -1;
    void *shared = MAP_FAILED;
    if (file >= 0) {
        shared = mmap(NULL, sizeof nothing, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        close(file);
    }
    control = shared == MAP_FAILED ? &nothing : shared;
}

static long mode(void) { return control ? control->mode : WELL; }

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int synced(int result) {
    if (result == 0 && control) control->syncs++;
    return result;
}

static void stall(void) {
    struct timespec moment = {0, 5000000};
    while (mode() == STALLED) nanosleep(&moment, NULL);
}

int fsync(int file) {
    stall();
    return synced(REAL(fsync)(file));
}

int fdatasync(int file) {
    stall();
    return synced(REAL(fdatasync)(file));
}

/* Whether a write to this file fails now, with errno set. Sockets and pipes are no disk. */
static int fails(int file) {
    struct stat about;
    long now = mode();
    if (now != FULL && now != READ_ONLY) return 0;
    if (file <= STDERR_FILENO) return 0; /* what is printed must be read */
    if (fstat(file, &about) || !S_ISREG(about.st_mode)) return 0;
    errno = now == FULL ? ENOSPC : EROFS;
    return 1;
}

#define WRITING(name, arguments, passed) \
    ssize_t name arguments { return fails(file) ? -1 : REAL(name) passed; }

WRITING(write, (int file, const void *from, size_t size), (file, from, size))
WRITING(pwrite, (int file, const void *from, size_t size, off_t at), (file, from, size, at))
WRITING(pwrite64, (int file, const void *from, size_t size, off64_t at), (file, from, size, at))
WRITING(pwritev, (int file, const struct iovec *from, int parts, off_t at), (file, from, parts, at))
WRITING(pwritev64, (int file, const struct iovec *from, int parts, off64_t at),
        (file, from, parts, at))

int clock_gettime(clockid_t clock, struct timespec *told) {
    int result = REAL(clock_gettime)(clock, told);
    if (control && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        told->tv_sec += control->offset;
    return result;
}

int gettimeofday(struct timeval *restrict told, void *restrict zone) {
    int result = REAL(gettimeofday)(told, zone);
    if (control) told->tv_sec += control->offset;
    return result;
}
