/* Loaded before libc: counts the calls that change files below one folder, and lets one of them fail.
 *
 * What to do is told by io_arm, or at the start by the environment: IO_FOLDER, IO_PLACE (which call, from 1; 0: count
 * only), IO_FAULT (one of enum fault), IO_LEDGER and IO_TRACE (numbers of open files, -1: none). Every call that was
 * seen, and every line written to the ledger, goes to the trace, with what was written: see disk.py, which makes disks
 * of it as a power cut may leave them. Calls of other processes and writes through maps of memory are not seen.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum fault { NONE, EIO_ONCE, ENOSPC_ONCE, SHORT, CRASH_BEFORE, CRASH_AFTER, CRASH_HALF, EIO_ALWAYS, ENOSPC_ALWAYS };
enum call { OPEN = 'o', CREATE = 'c', WRITE = 'w', SYNC = 's', TRUNCATE = 't', RENAME = 'r', UNLINK = 'u',
            MKDIR = 'm', CLOSE = 'x', MAP = 'p', TOLD = 'L', PLACE = 'P' };
enum verdict { GO, FAIL, HALF };

#define FILES 4096
#define STRUCK 77 /* exit code of a process that was ended here */

static char folder[PATH_MAX];
static size_t folder_length;
static long place, seen;
static int fault, ledger = -1, trace = -1, is_full;
static char *paths[FILES];

static ssize_t (*real_write)(int, const void *, size_t);
static int (*real_close)(int);

__attribute__((visibility("default"))) void io_arm(const char *where, long n, int what, int told, int traced) {
    folder_length = where ? strlen(where) : 0;
    if (folder_length >= sizeof folder) folder_length = 0;
    memcpy(folder, where ? where : "", folder_length);
    folder[folder_length] = 0;
    place = n;
    fault = what;
    ledger = told;
    trace = traced;
    seen = 0;
    is_full = 0;
}

__attribute__((visibility("default"))) long io_seen(void) { return seen; }

static long number(const char *name, long otherwise) {
    const char *said = getenv(name);
    return said && *said ? strtol(said, NULL, 10) : otherwise;
}

__attribute__((constructor)) static void begin(void) {
    real_write = dlsym(RTLD_NEXT, "write");
    real_close = dlsym(RTLD_NEXT, "close");
    if (getenv("IO_FOLDER"))
        io_arm(getenv("IO_FOLDER"), number("IO_PLACE", 0), (int)number("IO_FAULT", 0), (int)number("IO_LEDGER", -1),
               (int)number("IO_TRACE", -1));
}

static void end(void) { syscall(SYS_exit_group, STRUCK); }

/* Write a path out in full; return whether it is below the folder. */
static int inside(int at, const char *path, char *whole) {
    if (!folder_length || !path) return 0;
    if (path[0] == '/') {
        snprintf(whole, PATH_MAX, "%s", path);
    } else {
        char base[PATH_MAX] = "";
        if (at == AT_FDCWD) {
            if (!getcwd(base, sizeof base)) return 0;
        } else {
            char link[64];
            snprintf(link, sizeof link, "/proc/self/fd/%d", at);
            ssize_t got = readlink(link, base, sizeof base - 1);
            if (got < 0) return 0;
            base[got] = 0;
        }
        if (strlen(base) + strlen(path) + 2 > PATH_MAX) return 0;
        strcpy(whole, base);
        strcat(whole, "/");
        strcat(whole, path);
    }
    return !strncmp(whole, folder, folder_length) && (whole[folder_length] == '/' || !whole[folder_length]);
}

static const char *path_of(int file) { return folder_length && file >= 0 && file < FILES ? paths[file] : NULL; }

static void put(const void *bytes, size_t length) {
    while (length) {
        ssize_t written = real_write(trace, bytes, length);
        if (written <= 0) end();
        bytes = (const char *)bytes + written;
        length -= (size_t)written;
    }
}

/* Write down one call: kind, whether it was done, lengths of both paths and of the bytes, inode, offset; then these. */
static void note(char kind, int done, const char *path, const char *other, const void *bytes, uint64_t length,
                 uint64_t inode, uint64_t offset) {
    if (trace < 0) return;
    struct __attribute__((packed)) { char kind; uint8_t done; uint16_t path, other; uint64_t length, inode, offset; } head;
    head.kind = kind;
    head.done = (uint8_t)done;
    head.path = (uint16_t)strlen(path);
    head.other = (uint16_t)strlen(other);
    head.length = bytes ? length : 0;
    head.inode = inode;
    head.offset = offset;
    put(&head, sizeof head);
    put(path, head.path);
    put(other, head.other);
    if (bytes) put(bytes, length);
}

static uint64_t inode_of(int file) {
    struct stat found;
    return fstat(file, &found) ? 0 : (uint64_t)found.st_ino;
}

static int takes_space(char kind) { return kind == CREATE || kind == WRITE || kind == TRUNCATE || kind == MKDIR || kind == MAP; }

/* Count a call, and say what is to become of it. */
static enum verdict strike(char kind) {
    long now = __atomic_add_fetch(&seen, 1, __ATOMIC_SEQ_CST);
    char name[2] = {kind, 0};
    note(PLACE, 1, name, "", NULL, 0, 0, 0);
    if (is_full && takes_space(kind)) { /* a short write leaves a disk full */
        errno = ENOSPC;
        return FAIL;
    }
    if (!place || now < place || (now > place && fault != EIO_ALWAYS && fault != ENOSPC_ALWAYS)) return GO;
    switch (fault) {
    case EIO_ONCE:
    case EIO_ALWAYS:
        errno = EIO;
        return FAIL;
    case ENOSPC_ALWAYS:
        if (!takes_space(kind)) return GO;
        errno = ENOSPC;
        return FAIL;
    case ENOSPC_ONCE:
        errno = ENOSPC;
        return FAIL;
    case SHORT:
        is_full = 1;
        errno = ENOSPC;
        return kind == WRITE ? HALF : FAIL;
    case CRASH_BEFORE:
        end();
        return GO;
    case CRASH_HALF:
        if (kind != WRITE) end();
        return HALF;
    default:
        return GO;
    }
}

static void after(void) {
    if (place && seen == place && (fault == CRASH_AFTER || fault == CRASH_HALF)) end();
}

static int opened(int at, const char *path, int flags, mode_t mode) {
    static int (*real)(int, const char *, int, ...);
    char whole[PATH_MAX];
    if (!real) real = dlsym(RTLD_NEXT, "openat64");
    if (!inside(at, path, whole)) return real(at, path, flags, mode);
    struct stat before;
    int is_new = (flags & O_CREAT) && stat(whole, &before);
    if (strike(is_new ? CREATE : OPEN) == FAIL) return -1;
    int file = real(at, path, flags, mode);
    if (file >= 0 && file < FILES) {
        free(paths[file]);
        paths[file] = strdup(whole);
        note(is_new ? CREATE : OPEN, 1, whole, "", NULL, 0, inode_of(file), 0);
        if (!is_new && (flags & O_TRUNC)) note(TRUNCATE, 1, whole, "", NULL, 0, inode_of(file), 0);
    }
    after();
    return file;
}

#define MODE(flags, last) \
    mode_t mode = 0; \
    if ((flags) & (O_CREAT | __O_TMPFILE)) { va_list rest; va_start(rest, last); mode = va_arg(rest, mode_t); va_end(rest); }

int open(const char *path, int flags, ...) { MODE(flags, flags) return opened(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE(flags, flags) return opened(AT_FDCWD, path, flags, mode); }
int openat(int at, const char *path, int flags, ...) { MODE(flags, flags) return opened(at, path, flags, mode); }
int openat64(int at, const char *path, int flags, ...) { MODE(flags, flags) return opened(at, path, flags, mode); }
int creat(const char *path, mode_t mode) { return opened(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
int creat64(const char *path, mode_t mode) { return opened(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }

int close(int file) {
    const char *path = path_of(file);
    if (!path) return real_close(file);
    enum verdict verdict = strike(CLOSE);
    int why = errno;
    paths[file] = NULL;
    int result = real_close(file); /* closed in any case: so does Linux */
    note(CLOSE, 1, path, "", NULL, 0, 0, 0);
    free((char *)path);
    after();
    if (verdict == GO) return result;
    errno = why;
    return -1;
}

static ssize_t written(int file, const void *bytes, size_t length, off64_t offset, int is_placed) {
    static ssize_t (*real_pwrite)(int, const void *, size_t, off64_t);
    if (!real_pwrite) real_pwrite = dlsym(RTLD_NEXT, "pwrite64");
    const char *path = path_of(file);
    if (!path) {
        if (folder_length && file == ledger && !is_placed) note(TOLD, 1, "", "", bytes, length, 0, 0);
        return is_placed ? real_pwrite(file, bytes, length, offset) : real_write(file, bytes, length);
    }
    enum verdict verdict = strike(WRITE);
    if (verdict == FAIL) return -1;
    if (verdict == HALF) length /= 2;
    if (!is_placed) {
        struct stat now;
        offset = (fcntl(file, F_GETFL) & O_APPEND) && !fstat(file, &now) ? now.st_size : lseek64(file, 0, SEEK_CUR);
    }
    if (verdict == HALF && !length && fault == SHORT) {
        errno = ENOSPC;
        return -1;
    }
    ssize_t result = is_placed ? real_pwrite(file, bytes, length, offset) : real_write(file, bytes, length);
    if (result > 0) note(WRITE, 1, path, "", bytes, (uint64_t)result, inode_of(file), (uint64_t)offset);
    after();
    return result;
}

ssize_t write(int file, const void *bytes, size_t length) { return written(file, bytes, length, 0, 0); }
ssize_t pwrite(int file, const void *bytes, size_t length, off_t at) { return written(file, bytes, length, at, 1); }
ssize_t pwrite64(int file, const void *bytes, size_t length, off64_t at) { return written(file, bytes, length, at, 1); }

ssize_t writev(int file, const struct iovec *parts, int count) {
    static ssize_t (*real)(int, const struct iovec *, int);
    if (!real) real = dlsym(RTLD_NEXT, "writev");
    if (!path_of(file)) return real(file, parts, count);
    ssize_t sum = 0;
    for (int part = 0; part < count; part++) {
        ssize_t done = written(file, parts[part].iov_base, parts[part].iov_len, 0, 0);
        if (done < 0) return sum ? sum : -1;
        sum += done;
        if ((size_t)done < parts[part].iov_len) break;
    }
    return sum;
}

static int synced(int file, const char *name) {
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
    const char *path = path_of(file);
    if (!path) return real(file);
    if (strike(SYNC) != GO) return -1;
    int result = real(file);
    note(SYNC, !result, path, "", NULL, 0, inode_of(file), 0);
    after();
    return result;
}

int fsync(int file) { return synced(file, "fsync"); }
int fdatasync(int file) { return synced(file, "fdatasync"); }

static int cut(int file, off64_t length) {
    static int (*real)(int, off64_t);
    if (!real) real = dlsym(RTLD_NEXT, "ftruncate64");
    const char *path = path_of(file);
    if (!path) return real(file, length);
    if (strike(TRUNCATE) != GO) return -1;
    int result = real(file, length);
    if (!result) note(TRUNCATE, 1, path, "", NULL, 0, inode_of(file), (uint64_t)length);
    after();
    return result;
}

int ftruncate(int file, off_t length) { return cut(file, length); }
int ftruncate64(int file, off64_t length) { return cut(file, length); }

static int renamed(int at, const char *old, int to, const char *new, unsigned flags) {
    char from[PATH_MAX], target[PATH_MAX];
    int is_ours = inside(at, old, from), is_target = inside(to, new, target);
    if (is_ours && is_target && strike(RENAME) != GO) return -1;
    int result = (int)syscall(SYS_renameat2, at, old, to, new, flags);
    if (is_ours && is_target) {
        if (!result) note(RENAME, 1, from, target, NULL, 0, 0, 0);
        after();
    }
    return result;
}

int rename(const char *old, const char *new) { return renamed(AT_FDCWD, old, AT_FDCWD, new, 0); }
int renameat(int at, const char *old, int to, const char *new) { return renamed(at, old, to, new, 0); }
int renameat2(int at, const char *old, int to, const char *new, unsigned flags) {
    return renamed(at, old, to, new, flags);
}

static int unlinked(int at, const char *path, int flags) {
    static int (*real)(int, const char *, int);
    if (!real) real = dlsym(RTLD_NEXT, "unlinkat");
    char whole[PATH_MAX];
    if (!inside(at, path, whole)) return real(at, path, flags);
    if (strike(UNLINK) != GO) return -1;
    int result = real(at, path, flags);
    if (!result) note(UNLINK, 1, whole, "", NULL, 0, 0, 0);
    after();
    return result;
}

int unlink(const char *path) { return unlinked(AT_FDCWD, path, 0); }
int unlinkat(int at, const char *path, int flags) { return unlinked(at, path, flags); }

static int made(int at, const char *path, mode_t mode) {
    static int (*real)(int, const char *, mode_t);
    if (!real) real = dlsym(RTLD_NEXT, "mkdirat");
    char whole[PATH_MAX];
    if (!inside(at, path, whole)) return real(at, path, mode);
    if (strike(MKDIR) != GO) return -1;
    int result = real(at, path, mode);
    if (!result) note(MKDIR, 1, whole, "", NULL, 0, 0, 0);
    after();
    return result;
}

int mkdir(const char *path, mode_t mode) { return made(AT_FDCWD, path, mode); }
int mkdirat(int at, const char *path, mode_t mode) { return made(at, path, mode); }

static void *mapped(void *at, size_t length, int protection, int flags, int file, off64_t offset) {
    static void *(*real)(void *, size_t, int, int, int, off64_t);
    if (!real) real = dlsym(RTLD_NEXT, "mmap64");
    const char *path = flags & MAP_ANONYMOUS ? NULL : path_of(file);
    if (!path) return real(at, length, protection, flags, file, offset);
    if (strike(MAP) != GO) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    void *result = real(at, length, protection, flags, file, offset);
    note(MAP, 1, path, "", NULL, 0, 0, 0);
    after();
    return result;
}

void *mmap(void *at, size_t length, int protection, int flags, int file, off_t offset) {
    return mapped(at, length, protection, flags, file, offset);
}
void *mmap64(void *at, size_t length, int protection, int flags, int file, off64_t offset) {
    return mapped(at, length, protection, flags, file, offset);
}
