// SPDX-License-Identifier: BSD-3-Clause
// A debugger with OMPD's callbacks that counts its reads, and the process that it looks at.
#include "bench/ompd_host.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct live_host host;
uint64_t pthreads[THREADS];
uint32_t gtids[THREADS];
unsigned n_threads;

// A debugger's own way to a thread-local variable is not what is measured: it costs one read.
static const taddr gtid_base = 0x00f0000000000000U;

static ompd_rc_t
alloc_memory(ompd_size_t size, void **ptr)
{
    *ptr = malloc(size);
    if (!*ptr)
        return ompd_rc_nomem;
    memset(*ptr, 0x5a, size); // libompd takes unset members for set ones
    return ompd_rc_ok;
}

static ompd_rc_t
free_memory(void *ptr)
{
    free(ptr);
    return ompd_rc_ok;
}

static ompd_rc_t
print_string(const char *string, int category)
{
    (void) string;
    (void) category;
    return ompd_rc_ok;
}

static ompd_rc_t
sizeof_type(ompd_address_space_context_t *context, ompd_device_type_sizes_t *sizes)
{
    (void) context;
    *sizes = (ompd_device_type_sizes_t){
        1, sizeof(short), sizeof(int), sizeof(long), sizeof(long long), sizeof(void *)};
    return ompd_rc_ok;
}

static ompd_rc_t
symbol_addr_lookup(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
                   const char *name, ompd_address_t *addr, const char *file_name)
{
    const struct target target = live_host_target(&host);
    (void) context;
    (void) file_name;
    addr->segment = 0;
    if (thread) {
        addr->address = gtid_base + ((uintptr_t) thread - 1) * 4;
        return ompd_rc_ok;
    }
    return target.ops->find_symbol(target.host, name, &addr->address) ||
                   target.ops->find_function(target.host, name, &addr->address)
               ? ompd_rc_ok
               : ompd_rc_error;
}

static ompd_rc_t
read_memory(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
            const ompd_address_t *addr, ompd_size_t size, void *buffer)
{
    const struct target target = live_host_target(&host);
    (void) context;
    (void) thread;
    if (addr->address >= gtid_base && addr->address < gtid_base + THREADS * 4U && size == 4) {
        host.reads++;
        memcpy(buffer, &gtids[(addr->address - gtid_base) / 4], 4);
        return ompd_rc_ok;
    }
    return target.ops->read(target.host, addr->address, size, buffer) ? ompd_rc_ok : ompd_rc_error;
}

static ompd_rc_t
write_memory(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
             const ompd_address_t *addr, ompd_size_t size, const void *buffer)
{
    (void) context;
    (void) thread;
    (void) addr;
    (void) size;
    (void) buffer;
    return ompd_rc_unsupported;
}

static ompd_rc_t
read_string(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
            const ompd_address_t *addr, ompd_size_t size, void *buffer)
{
    char *text = buffer;
    for (ompd_size_t i = 0; i < size; i++) {
        const ompd_address_t at = {0, addr->address + i};
        if (i % 64 == 0) // a debugger reads pieces
            host.reads++;
        unsigned before = host.reads;
        if (read_memory(context, thread, &at, 1, &text[i]) != ompd_rc_ok)
            return ompd_rc_error;
        host.reads = before;
        if (!text[i])
            break;
    }
    return ompd_rc_ok;
}

static ompd_rc_t
convert(ompd_address_space_context_t *context, const void *input, ompd_size_t unit_size,
        ompd_size_t count, void *output)
{
    (void) context;
    memmove(output, input, unit_size * count);
    return ompd_rc_ok;
}

static ompd_rc_t
get_thread_context(ompd_address_space_context_t *context, ompd_thread_id_t kind, ompd_size_t size,
                   const void *id, ompd_thread_context_t **thread)
{
    uint64_t pthread;
    (void) context;
    if (kind != OMPD_THREAD_ID_PTHREAD || size != sizeof(pthread))
        return ompd_rc_unsupported;
    memcpy(&pthread, id, sizeof(pthread));
    for (unsigned i = 0; i < n_threads; i++)
        if (pthreads[i] == pthread) {
            *thread = (ompd_thread_context_t *) ((uintptr_t) i + 1);
            return ompd_rc_ok;
        }
    return ompd_rc_unavailable;
}

const ompd_callbacks_t host_callbacks = {
    alloc_memory, free_memory, print_string, sizeof_type, symbol_addr_lookup, read_memory,
    write_memory, read_string, convert,      convert,     get_thread_context,
};

// How a program ended that has closed its output. SIGKILL changes nothing of one that is ending;
// one that lives on would be waited for for ever.
static void
report_end(const char *program, pid_t pid)
{
    int status;
    kill(pid, SIGKILL);
    if (waitpid(pid, &status, 0) == pid)
        fprintf(stderr, "%s ended: %s %d\n", program, WIFSIGNALED(status) ? "signal" : "status",
                WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

pid_t
host_start(const char *program, const char *libraries)
{
    int output[2];
    char line[16] = "";
    if (pipe2(output, O_CLOEXEC) != 0)
        return -1;
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        dup2(output[1], STDOUT_FILENO);
        setenv("LD_LIBRARY_PATH", libraries, 1);
        setenv("OMP_DEBUG", "enabled", 1);
        execl(program, program, NULL);
        _exit(127);
    }
    close(output[1]);
    if (pid > 0 && read(output[0], line, sizeof(line) - 1) > 0) {
        usleep(300000);
        return pid;
    }
    if (pid > 0)
        report_end(program, pid);
    return -1;
}
