/*
 * Tries every way to change the metadata of a file.
 *
 *   attack calls PATH           each system call once, on a file or folder; prints its outcome
 *   attack race INSIDE OUTSIDE  while another thread swaps the path, the descriptor and a link
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>

#define ROUNDS 1000

static void report(const char *name, long outcome) {
    printf("%s: %s\n", name, outcome < 0 ? strerror(errno) : "done");
}

/* The outcome of an expression right behind it: printing changes errno. */
#define TRY(name, expression) do { errno = 0; report(name, (expression)); } while (0)

struct attribute { unsigned long value; unsigned int size; unsigned int flags; };

static int calls(const char *path) {
    struct timespec times[2] = {{1000000000, 5}, {1000000000, 5}};
    struct timeval old_times[2] = {{1000000001, 5}, {1000000001, 5}};
    struct utimbuf oldest = {1000000002, 1000000002};
    char copy[4096], other[4096], link[64];
    strcpy(copy, path);
    strcpy(other, path);
    const char *name = basename(copy);
    int folder = open(dirname(other), O_RDONLY | O_DIRECTORY);
    int file = open(path, O_RDONLY);
    int bare = open(path, O_PATH);
    snprintf(link, sizeof link, "/proc/self/fd/%d", bare);

#ifdef SYS_chmod
    TRY("chmod", syscall(SYS_chmod, path, 0701));
    TRY("chmod of a descriptor's link", syscall(SYS_chmod, link, 0702));
    TRY("chown", syscall(SYS_chown, path, getuid(), getgid()));
    TRY("lchown", syscall(SYS_lchown, path, getuid(), getgid()));
    TRY("utime", syscall(SYS_utime, path, &oldest));
    TRY("utimes", syscall(SYS_utimes, path, old_times));
    TRY("futimesat", syscall(SYS_futimesat, folder, name, old_times));
    TRY("futimesat of a descriptor", syscall(SYS_futimesat, file, NULL, old_times));
#endif
    TRY("fchmod", syscall(SYS_fchmod, file, 0703));
    TRY("fchmodat", syscall(SYS_fchmodat, folder, name, 0704));
    TRY("fchmodat2", syscall(452, folder, name, 0705, AT_SYMLINK_NOFOLLOW));
    TRY("fchmodat2 of a descriptor", syscall(452, bare, "", 0706, AT_EMPTY_PATH));
    TRY("fchown", syscall(SYS_fchown, file, getuid(), getgid()));
    TRY("fchownat", syscall(SYS_fchownat, folder, name, getuid(), getgid(), AT_SYMLINK_NOFOLLOW));
    TRY("fchownat of a descriptor", syscall(SYS_fchownat, bare, "", getuid(), getgid(), AT_EMPTY_PATH));
    TRY("utimensat", syscall(SYS_utimensat, folder, name, times, 0));
    TRY("utimensat, now", syscall(SYS_utimensat, folder, name, NULL, 0));
    TRY("utimensat of a descriptor", syscall(SYS_utimensat, file, NULL, times, 0));
    TRY("setxattr", syscall(SYS_setxattr, path, "user.a", "1", 1, 0));
    TRY("lsetxattr", syscall(SYS_lsetxattr, path, "user.b", "1", 1, 0));
    TRY("fsetxattr", syscall(SYS_fsetxattr, file, "user.c", "1", 1, 0));
    struct attribute attribute = {(unsigned long)"1", 1, 0};
    TRY("setxattrat", syscall(463, folder, name, 0, "user.d", &attribute, sizeof attribute));
    TRY("removexattr", syscall(SYS_removexattr, path, "user.a"));
    TRY("lremovexattr", syscall(SYS_lremovexattr, path, "user.b"));
    TRY("fremovexattr", syscall(SYS_fremovexattr, file, "user.c"));
    TRY("removexattrat", syscall(466, folder, name, 0, "user.d"));
    return 0;
}

/* What makes no sense fails in the same way. */
static int nonsense(const char *path) {
    struct timespec late[2] = {{1, 2000000000}, {1, 0}};
    TRY("no memory", syscall(SYS_fchmodat, AT_FDCWD, (char *)16, 0700));
    TRY("no such file", syscall(SYS_fchmodat, AT_FDCWD, "/none/such", 0700));
    TRY("empty path", syscall(SYS_fchmodat, AT_FDCWD, "", 0700));
    TRY("no such descriptor", syscall(SYS_fchmod, 999, 0700));
    TRY("unknown flags", syscall(SYS_fchownat, AT_FDCWD, path, 0, 0, 0x40000000));
    TRY("impossible time", syscall(SYS_utimensat, AT_FDCWD, path, late, 0));
    TRY("long name", syscall(SYS_setxattr, path, "user.\
aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\
aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\
aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "1", 1, 0));
    TRY("long value", syscall(SYS_setxattr, path, "user.a", "1", 1 << 20, 0));
    TRY("missing attribute", syscall(SYS_removexattr, path, "user.none"));
    int ends[2];
    if (pipe(ends) == 0)
        TRY("pipe", fchmod(ends[0], 0600));
    char name[] = "unlinked-XXXXXX";
    int unlinked = mkstemp(name);
    unlink(name);
    TRY("unlinked file", fchmod(unlinked, 0640));
    return 0;
}

static char shared_path[4096];
static const char *inside, *outside;
static int descriptor;
static volatile int is_over;

static void *swap(void *unused) {
    int own = open(inside, O_RDONLY), foreign = open(outside, O_RDONLY);
    while (!is_over) {
        strcpy(shared_path, inside);
        dup2(own, descriptor);
        symlink(inside, "swapped.new");
        rename("swapped.new", "swapped");
        strcpy(shared_path, outside);
        dup2(foreign, descriptor);
        symlink(outside, "swapped.new");
        rename("swapped.new", "swapped");
    }
    return unused;
}

static int race(void) {
    pthread_t swapper;
    long done = 0;
    descriptor = dup(0);
    pthread_create(&swapper, NULL, swap, NULL);
    for (int round = 0; round < ROUNDS; round++) {
        done += syscall(SYS_fchmodat, AT_FDCWD, shared_path, 0777) == 0;
        done += syscall(SYS_fchmod, descriptor, 0777) == 0;
        done += syscall(SYS_fchmodat, AT_FDCWD, "swapped", 0777) == 0;
    }
    is_over = 1;
    pthread_join(swapper, NULL);
    printf("%ld\n", done);
    return done == 0;
}

int main(int count, char **arguments) {
    if (count == 3 && strcmp(arguments[1], "calls") == 0)
        return calls(arguments[2]);
    if (count == 3 && strcmp(arguments[1], "nonsense") == 0)
        return nonsense(arguments[2]);
    if (count == 3 && strcmp(arguments[1], "request") == 0) {
        /* FS_IOC_SETFLAGS: no dump. */
        long flags = 0x40;
        TRY("request", ioctl(open(arguments[2], O_RDONLY), 0x40086602, &flags));
        TRY("io_uring", syscall(425, 1, NULL));
        return 0;
    }
    if (count == 4 && strcmp(arguments[1], "race") == 0) {
        inside = arguments[2];
        outside = arguments[3];
        return race();
    }
    return 2;
}
