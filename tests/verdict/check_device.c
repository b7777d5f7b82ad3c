// SPDX-License-Identifier: BSD-3-Clause
// Threads that wait for a device: by their stacks, which call it is and what it waits for.
#include "tests/verdict/check_verdict.h"

#include "mqshow/report/place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CUDA "/usr/lib/libcuda.so.580.1"
#define C    "/lib/libc.so.6"
#define RUN  "/home/me/run"
#define SITE "/home/me/venv/lib/python3.11/site-packages"
#define FAR  "user|" RUN "|/home/me/run.cu:7", "main|" RUN "|/home/me/run.cu:9"

enum { FRAMES_MAX = 9 };

/** Frames from the innermost on: "function|module|file:line"; a function without a module is one of
 * Python. */
static const struct {
    const char *api, *call, *waits_for, *library; // NULL: it does not wait, or not known
    const char *place;
    const char *frames[FRAMES_MAX];
} waits[] = {
    // The runtime linked into the program, and by itself; the driver.
    {"CUDA",
     "cudaStreamSynchronize",
     "stream",
     "libcuda",
     "user at run.cu:7",
     {"|" CUDA, "|" CUDA, "cuStreamSynchronize|" CUDA, "libcudart_static_141dba54|" RUN,
      "cudaStreamSynchronize|" RUN, FAR}},
    {"CUDA",
     "cudaDeviceSynchronize",
     "device",
     "libcuda",
     "user at run.cu:7",
     {"__vdso_clock_gettime|[vdso: 7]", "clock_gettime|" C, "cuCtxSynchronize_v2|" CUDA,
      "|/opt/lib/libcudart.so.13", "cudaDeviceSynchronize|/opt/lib/libcudart.so.13", FAR}},
    {"CUDA",
     "cuMemcpyDtoH",
     "copy",
     "libcuda",
     "user at run.cu:7",
     {"|" CUDA, "cuMemcpyDtoH_v2_ptds|" CUDA, FAR}},
    {"CUDA",
     "cudaMemcpyAsync",
     "copy",
     "libcuda",
     "user at run.cu:7",
     {"|" CUDA, "cudaMemcpyAsync_ptsz@libcudart.so.13|" RUN, FAR}},
    // Which function of the driver it is nobody knows, or the program has no names.
    {"CUDA", NULL, NULL, "libcuda", "user at run.cu:7", {"|" CUDA, "cuSomething|" CUDA, FAR}},
    {"CUDA",
     "cuEventSynchronize",
     "event",
     "libcuda",
     "",
     {"__poll|" C, "cuEventSynchronize|" CUDA, "|" RUN, "|" RUN, "__libc_start_main|" C}},
    // A launch, if it waits for room in the queue: the program's stub has a source.
    {"CUDA",
     "cudaLaunchKernel",
     "launch",
     "libcuda",
     "user at run.cu:7",
     {"__sched_yield|" C, "cuLaunchKernel|" CUDA, "cudaLaunchKernel|" RUN,
      "__cudaLaunchKernel_helper|" RUN "|/usr/local/cuda/device_functions.h:2963",
      "__device_stub__Z3nopv|" RUN "|/tmp/nop.stub.c:1", FAR}},
    {NULL, NULL, NULL, NULL, NULL, {"|" CUDA, "cudaLaunchKernel|" RUN, FAR}},
    {"CUDA",
     "cudaGraphLaunch",
     "launch",
     "libcuda",
     "user at run.cu:7",
     {"poll|" C, "|" CUDA, "cudaGraphLaunch_v10000|" RUN, FAR}},
    // Who only asks does not wait.
    {NULL, NULL, NULL, NULL, NULL, {"|" CUDA, "cuEventQuery|" CUDA, "cudaEventQuery|" RUN, FAR}},
    // Others of the driver's libraries have called it, or nobody: it is a thread of theirs.
    {"CUDA",
     "cuKernelGetFunction",
     "code",
     "libcuda",
     "user at run.cu:7 (cublasCreate_v2)",
     {"|" CUDA, "cuKernelGetFunction|" CUDA, "cublasCreate_v2|/usr/lib/libcublas.so.13", FAR}},
    {NULL, NULL, NULL, NULL, NULL, {"poll|" C, "|" CUDA, "|" CUDA, "clone3|" C}},
    // What the program calls by such a name itself, and what it does within a call.
    {NULL, NULL, NULL, NULL, NULL, {"cudaFree|" RUN "|/home/me/mock.c:3", FAR}},
    {NULL, NULL, NULL, NULL, NULL, {"work|" RUN "|/home/me/run.cu:3", "|" CUDA, FAR}},
    {NULL,
     NULL,
     NULL,
     NULL,
     NULL,
     {"user_region|" RUN, "GOMP_target_ext|/usr/lib/libgomp.so.1", FAR}},
    {NULL,
     NULL,
     NULL,
     NULL,
     NULL,
     {"|/usr/lib/libgomp.so.1", "GOMP_barrier|/usr/lib/libgomp.so.1", FAR}},
    // Of others.
    {"HIP",
     "hipStreamSynchronize",
     "stream",
     "libhsa-runtime64",
     "user at run.cu:7",
     {"|/opt/rocm/lib/libhsa-runtime64.so.1",
      "hsa_signal_wait_scacquire|/opt/rocm/lib/libhsa-runtime64.so.1",
      "|/opt/rocm/lib/libamdhip64.so.6", "hipStreamSynchronize_spt|/opt/rocm/lib/libamdhip64.so.6",
      FAR}},
    {"Level Zero",
     "zeEventHostSynchronize",
     "event",
     "libze_intel_gpu",
     "user at run.cu:7",
     {"|/usr/lib/libze_intel_gpu.so.1", "zeEventHostSynchronize|/usr/lib/libze_loader.so.1", FAR}},
    {"OpenCL",
     "clFinish",
     "stream",
     NULL,
     "user at run.cu:7",
     {"pthread_cond_wait|" C, "clFinish|/usr/lib/libOpenCL.so.1", FAR}},
    {"SYCL",
     "sycl::_V1::queue::wait",
     "stream",
     NULL,
     "user at run.cu:7",
     {"pthread_cond_wait|" C, "|/opt/lib/libsycl.so.8",
      "sycl::_V1::queue::wait|/opt/lib/libsycl.so.8", FAR}},
    {"OpenMP",
     "__tgt_target_kernel",
     "region",
     "libcuda",
     "user at run.cu:7",
     {"|" CUDA, "cuStreamSynchronize|" CUDA, "|/usr/lib/libomptarget.so.19",
      "__tgt_target_kernel|/usr/lib/libomptarget.so.19", FAR}},
    {"OpenMP",
     "GOMP_target_ext",
     "region",
     "libcuda",
     "user at run.cu:7",
     {"|" CUDA, "cuCtxSynchronize|" CUDA, "GOMP_OFFLOAD_run|/usr/lib/libgomp-plugin-nvptx.so.1",
      "|/usr/lib/libgomp.so.1", "GOMP_target_ext|/usr/lib/libgomp.so.1", FAR}},
    {"OpenACC",
     "acc_wait_all",
     "stream",
     "libcuda",
     "user at run.cu:7",
     {"|" CUDA, "|/opt/nvhpc/lib/libacccuda.so", "acc_wait_all|/opt/nvhpc/lib/libaccapi.so", FAR}},
    {"Kokkos",
     "Kokkos::fence",
     "device",
     "libcuda",
     "user at run.cu:7",
     {"|" CUDA, "cudaDeviceSynchronize|" RUN,
      "Kokkos::Impl::cuda_fence|" RUN "|/home/me/kokkos/Cuda.cpp:8",
      "Kokkos::fence|" RUN "|/home/me/kokkos/Core.cpp:9", FAR}},
    {NULL, NULL, NULL, NULL, NULL, {"Kokkos::fence|" RUN "|/home/me/kokkos/Core.cpp:9", FAR}},
    // Collectives of devices.
    {"NCCL",
     "ncclAllReduce",
     "ranks",
     "libcuda",
     "user at run.cu:7",
     {"|" CUDA, "cudaStreamSynchronize|/usr/lib/libnccl.so.2",
      "enqueue|/usr/lib/libnccl.so.2|/src/enqueue.cc:7", "pncclAllReduce|/usr/lib/libnccl.so.2",
      FAR}},
    {"RCCL",
     "ncclCommInitRankConfig",
     "ranks",
     NULL,
     "user at run.cu:7",
     {"poll|" C, "|/opt/rocm/lib/librccl.so.1", "ncclCommInitRankConfig|/opt/rocm/lib/librccl.so.1",
      FAR}},
    {NULL,
     NULL,
     NULL,
     NULL,
     NULL,
     {"|" CUDA, "cuEventQuery|" CUDA, "ncclProxyProgress|/usr/lib/libnccl.so.2", "clone3|" C}},
    // Python: its own line, with the function of the package behind it.
    {"CUDA",
     "cudaDeviceSynchronize",
     "device",
     "libcuda",
     "step at job.py:5 (torch synchronize)",
     {"|" CUDA, "cudaDeviceSynchronize|" SITE "/nvidia/cu13/lib/libcudart.so.13",
      "THCPModule_cudaSynchronize|" SITE "/torch/lib/libtorch_python.so",
      "call|/usr/bin/python3.11", "synchronize||" SITE "/torch/cuda/__init__.py:1162",
      "step||/home/me/job.py:5"}},
    {"CUDA",
     "cudaMemcpyAsync",
     "copy",
     "libcuda",
     "step at job.py:5",
     {"|" CUDA, "cudaMemcpyAsync|" SITE "/nvidia/cu13/lib/libcudart.so.13",
      "at::native::_local_scalar_dense_cuda|" SITE "/torch/lib/libtorch_cuda.so",
      "step||/home/me/job.py:5"}},
    // torch.distributed: by Python's functions; in a wait for a device they count as that.
    {"torch.distributed",
     "torch.distributed.all_reduce",
     "ranks",
     NULL,
     "step at job.py:5 (torch wrapper)",
     {"sched_yield|" C, "wait|" SITE "/torch/lib/libtorch_cpu.so",
      "all_reduce||" SITE "/torch/distributed/distributed_c10d.py:1327",
      "wrapper||" SITE "/torch/distributed/c10d_logger.py:72", "step||/home/me/job.py:5"}},
    {"CUDA",
     "cudaStreamSynchronize",
     "stream",
     NULL,
     "step at job.py:5 (torch barrier)",
     {"sched_yield|" C, "cudaStreamSynchronize|" SITE "/nvidia/cu13/lib/libcudart.so.13",
      "barrier||" SITE "/torch/distributed/distributed_c10d.py:2000", "step||/home/me/job.py:5"}},
    {NULL,
     NULL,
     NULL,
     NULL,
     NULL,
     {"sched_yield|" C, "hook||/home/me/job.py:9",
      "all_reduce||" SITE "/torch/distributed/distributed_c10d.py:1327",
      "step||/home/me/job.py:5"}},
};

/** Takes the text up to a mark. */
static char *
part(const char **text, char mark)
{
    const char *end = strchr(*text, mark);
    char *ret = end ? strndup(*text, (size_t) (end - *text)) : strdup(*text);
    *text = end ? end + 1 : *text + strlen(*text);
    return ret;
}

static void
set_text(json_t *object, const char *key, char *text)
{
    if (*text != '\0')
        json_object_set_new(object, key, json_string(text));
    free(text);
}

static json_t *
made_frame(const char *text)
{
    json_t *frame = json_object();
    set_text(frame, "function", part(&text, '|'));
    set_text(frame, "module", part(&text, '|'));
    set_text(frame, "file", part(&text, ':'));
    if (*text != '\0')
        json_object_set_new(frame, "line", json_integer(atoi(text)));
    if (json_object_get(frame, "module") == NULL)
        json_object_set_new(frame, "language", json_string("python"));
    return frame;
}

/** Gives the thread of a rank a stack, in which it sleeps if it is in poll(); its own frame is the
 * first one that is not the C library's, or of Python. */
static void
made_stack(const json_t *job, int rank, const char *const *frames)
{
    json_t *thread = json_array_get(json_object_get(made_process(job, rank), "threads"), 0);
    json_t *stack = json_array(), *own = NULL;
    for (size_t i = 0; i < FRAMES_MAX && frames[i] != NULL; i++) {
        json_t *frame = made_frame(frames[i]);
        bool of_python = json_object_get(frame, "language") != NULL;
        bool has_python = own != NULL && json_object_get(own, "language") != NULL;
        if ((own == NULL && strstr(frames[i], C) == NULL && strstr(frames[i], "vdso") == NULL) ||
            (of_python && !has_python))
            own = frame;
        json_array_append_new(stack, frame);
    }
    json_object_set(thread, "frame", own);
    json_object_set_new(thread, "stack", stack);
    json_object_set_new(thread, "stack_complete", json_true());
    if (strncmp(frames[0], "poll|", 5) == 0)
        json_object_set_new(thread, "kernel", json_pack("{s:b}", "sleeps", true));
}

static void
check_same(const char *what, const char *is, const char *expected, const char *innermost)
{
    if ((is == NULL) != (expected == NULL) || (is != NULL && strcmp(is, expected) != 0))
        ck_abort_msg("%s is %s instead of %s; in %s", what, is ? is : "absent",
                     expected ? expected : "absent", innermost);
}

START_TEST(stacks)
{
    json_t *job = made_job(1);
    made_stack(job, 0, waits[_i].frames);
    struct document *document = made_document(job);
    const struct thread_record *thread = &document->reports[0].threads.items[0];
    const struct device_record *device = &thread->device;
    const char *innermost = waits[_i].frames[0];
    char *place = place_text(thread, false);
    ck_assert_msg(HAS(thread, THREAD_DEVICE) == (waits[_i].api != NULL), "%s", innermost);
    check_same("API", device->api, waits[_i].api, innermost);
    check_same("call", device->call, waits[_i].call, innermost);
    check_same("library", device->library, waits[_i].library, innermost);
    check_same("wait", HAS(device, DEVICE_WAITS_FOR) ? device_waits_name(device->waits_for) : NULL,
               waits[_i].waits_for, innermost);
    if (waits[_i].place != NULL)
        check_same("place", place, waits[_i].place, innermost);
    free(place);
    document_destroy(document);
    json_decref(job);
}
END_TEST

static const char *const in_stream[] = {"|" CUDA, "cudaStreamSynchronize|" RUN, FAR, NULL},
                         *const in_event[] = {"|" CUDA, "cudaEventSynchronize|" RUN, FAR, NULL},
                         *const in_copy[] = {"|" CUDA,
                                             "cuMemcpyDtoH_v2|" CUDA,
                                             "|/usr/lib/libmpi.so.12",
                                             "PMPI_Recv|/usr/lib/libmpi.so.12",
                                             FAR,
                                             NULL},
                         *const in_query[] = {"|" CUDA,
                                              "cuEventQuery|" CUDA,
                                              "|/usr/lib/libmpi.so.12",
                                              "PMPI_Recv|/usr/lib/libmpi.so.12",
                                              FAR,
                                              NULL};

/** What is said of a job, which is taken over. @param kind, what "no deadlock seen", "device" */
static json_t *
expect_line(json_t *job, const char *kind, const char *line, const char *what, const char *ranks)
{
    json_t *judged = judge(job), *cause = json_object_get(judged, "cause");
    ck_assert_str_eq(json_string_value(json_object_get(judged, "text")), line);
    ck_assert_str_eq(json_string_value(json_object_get(judged, "kind")), kind);
    ck_assert_str_eq(json_string_value(json_object_get(cause, "what")), what);
    check_member(cause, "ranks", ranks);
    return judged;
}

/** Three ranks, all in a barrier but one. */
static json_t *
barrier_without(int but)
{
    json_t *job = made_job(3);
    for (int i = 0; i < 3; i++)
        if (i != but)
            made_collective(job, i, 0, "barrier");
    return job;
}

/** Two ranks that receive from each other. */
static json_t *
two_receive(void)
{
    json_t *job = made_job(2);
    for (int i = 0; i < 2; i++)
        made_wait(job, i, 0, "MPI_Recv", "all", made_receive(job, i, 1 - i, 7), (json_t *) NULL);
    made_settled(job);
    return job;
}

// Who waits for a device is the cause, and no deadlock.
START_TEST(others_wait)
{
    json_t *job = barrier_without(1);
    made_stack(job, 1, in_stream);
    json_t *judged = expect_line(json_deep_copy(job), "no deadlock seen",
                                 "rank 1 waits for the GPU in cudaStreamSynchronize() in user at "
                                 "run.cu:7: ranks 0,2 wait for it",
                                 "device", "[1]");
    check_member(json_object_get(judged, "cause"), "waiting", "[0,2]");
    json_decref(judged);
    made_settled(job); // a long computation of the device is no hang
    json_decref(
        expect_line(job, "no deadlock seen",
                    "rank 1 waits for the GPU in cudaStreamSynchronize() in user at run.cu:7: "
                    "ranks 0,2 wait for it",
                    "device", "[1]"));
}
END_TEST

START_TEST(several_wait)
{
    json_t *job = made_job(3);
    for (int i = 0; i < 3; i++)
        made_stack(job, i, in_stream);
    json_decref(expect_line(json_deep_copy(job), "no deadlock seen",
                            "ranks 0-2 wait for the GPU in cudaStreamSynchronize()", "device",
                            "[0,1,2]"));
    made_stack(job, 1, in_event);
    json_decref(
        expect_line(job, "no deadlock seen",
                    "rank 1 waits for the GPU in cudaEventSynchronize(), ranks 0,2 wait for the "
                    "GPU in cudaStreamSynchronize()",
                    "device", "[1]"));
    job = made_job(3);
    made_stack(job, 1, in_stream);
    made_collective(job, 0, 0, "barrier");
    json_decref(
        expect_line(job, "no deadlock seen",
                    "no deadlock seen: rank 1 waits for the GPU in cudaStreamSynchronize(), "
                    "rank 2 computes, rank 0 waits for them",
                    "device", "[1]"));
}
END_TEST

// A deadlock of others is one all the same; one of a rank whose call of MPI waits for a device is
// none, but it is when MPI only asks the device.
START_TEST(beside_a_deadlock)
{
    json_t *job = made_job(3);
    for (int i = 0; i < 2; i++)
        made_wait(job, i, 0, "MPI_Recv", "all", made_receive(job, i, 1 - i, 7), (json_t *) NULL);
    made_stack(job, 2, in_stream);
    made_settled(job);
    expect(job, "deadlock", "[[0,1]]");
    job = two_receive();
    made_stack(job, 1, in_copy);
    json_decref(expect_line(job, "no deadlock seen",
                            "rank 1 waits for the GPU in cuMemcpyDtoH() in MPI_Recv in user at "
                            "run.cu:7: rank 0 waits for it",
                            "device", "[1]"));
    job = two_receive();
    made_stack(job, 1, in_query);
    expect(job, "deadlock", "[[0,1]]");
}
END_TEST

// Another thread that waits for a device may send then, where MPI lets it.
START_TEST(another_thread)
{
    for (int level = 1; level <= 3; level += 2) {
        json_t *job = two_receive();
        json_t *threads = json_object_get(made_process(job, 1), "threads");
        json_t *first = json_deep_copy(json_array_get(threads, 0));
        made_sleeping(job, 1, "poll", "file", true);
        json_array_remove(threads, 0);
        made_stack(job, 1, in_stream);
        json_array_insert_new(threads, 0, first);
        made_level(job, 0, level);
        made_level(job, 1, level);
        if (level == 1)
            expect(job, "deadlock", "[[0,1]]");
        else
            json_decref(expect_line(job, "no deadlock seen",
                                    "rank 1 waits for the GPU in cudaStreamSynchronize() in user "
                                    "at run.cu:7: rank 0 waits for it",
                                    "device", "[1]"));
    }
}
END_TEST

// The device may wait for a function of the program, and that for the thread that waits for it.
START_TEST(function_of_the_program)
{
    static const char *const in_function[] = {"pthread_mutex_lock|" C,
                                              "work|" RUN "|/home/me/run.cu:3",
                                              "|" CUDA,
                                              "|" CUDA,
                                              "clone3|" C,
                                              NULL};
    json_t *job = barrier_without(1);
    made_sleeping(job, 1, "futex", "memory", false);
    json_t *threads = json_object_get(made_process(job, 1), "threads");
    made_stack(job, 1, in_function);
    json_array_append(threads, json_array_get(threads, 0));
    json_array_remove(threads, 0);
    made_stack(job, 1, in_stream);
    json_t *judged = judge(job);
    check_member(json_object_get(judged, "cause"), "what", "\"device\"");
    check_fact(judged, " runs a function that the program gave the device: ");
    check_fact(judged, "in work at run.cu:3");
    json_decref(judged);
}
END_TEST

START_TEST(which_device)
{
    json_t *job = barrier_without(1);
    json_object_set_new(
        json_array_get(json_object_get(made_process(job, 1), "threads"), 0), "device",
        json_pack("{s:s, s:s, s:[s, s], s:s}", "api", "CUDA", "call", "cudaFree", "files",
                  "/dev/nvidia0", "/dev/nvidia3", "choice", "CUDA_VISIBLE_DEVICES=0,3"));
    json_object_set_new(made_process(job, 1), "devices",
                        json_pack("[{s:s, s:s, s:s, s:i, s:i}, {s:s, s:s}]", "file", "/dev/nvidia0",
                                  "name", "NVIDIA H200", "uuid", "GPU-1", "busy", 100, "processes",
                                  2, "file", "/dev/nvidia3", "uuid", "GPU-2"));
    json_t *used = json_deep_copy(job);
    json_t *judged = judge(job);
    check_member(json_object_get(judged, "cause"), "what", "\"device\"");
    check_fact(judged, "rank 1 has /dev/nvidia0, /dev/nvidia3 open, and was started with "
                       "CUDA_VISIBLE_DEVICES=0,3");
    check_fact(judged, "/dev/nvidia0 of rank 1 (NVIDIA H200, GPU-1): 100 % busy, 2 processes use "
                       "it");
    check_fact(judged, "/dev/nvidia3 of rank 1 (GPU-2)");
    json_decref(judged);
    // Where the driver tells which one it uses, the others are of no interest.
    json_t *second = json_array_get(json_object_get(made_process(used, 1), "devices"), 1);
    json_object_set_new(second, "used", json_true());
    judged = judge(used);
    check_fact(judged, "/dev/nvidia3 of rank 1 (GPU-2)");
    json_t *facts = json_object_get(judged, "facts");
    for (size_t i = 0; i < json_array_size(facts); i++)
        ck_assert_ptr_null(strstr(json_string_value(json_array_get(facts, i)), "GPU-1"));
    json_decref(judged);
}
END_TEST

static const char *const in_nccl[] = {"sched_yield|" C, "ncclAllReduce|/usr/lib/libnccl.so.2", FAR,
                                      NULL},
                         *const in_proxy[] = {"poll|" C, "|" CUDA,
                                              "ncclProxyService|/usr/lib/libnccl.so.2", "clone3|" C,
                                              NULL};

// For whom a rank waits in a collective of NCCL nobody knows, and who waits for that one.
START_TEST(collectives_of_devices)
{
    json_t *job = made_job(4);
    for (int i = 0; i < 3; i++)
        made_stack(job, i, in_nccl);
    made_collective(job, 3, 0, "barrier");
    made_settled(job);
    json_decref(expect_line(job, "unknown",
                            "cannot tell whether this is a deadlock: ranks 0-2 are in "
                            "ncclAllReduce, rank 3 is in MPI_Barrier",
                            "collective of devices", "[0,1,2]"));
    // Its threads are none that may send, whatever they call of the driver.
    job = two_receive();
    made_sleeping(job, 1, "poll", "file", true);
    json_t *threads = json_object_get(made_process(job, 1), "threads");
    json_array_append(threads, json_array_get(threads, 0));
    json_array_remove(threads, 0);
    made_stack(job, 1, in_proxy);
    expect(json_deep_copy(job), "deadlock", "[[0,1]]");
    // The device of who uses it may wait for others.
    json_array_remove(threads, 1);
    json_array_append_new(threads, json_pack("{s:i}", "tid", 7));
    json_array_append(threads, json_array_get(threads, 0));
    json_array_remove(threads, 0);
    made_stack(job, 1, in_stream);
    json_t *judged = judge(job);
    check_fact(judged, "rank 1 uses NCCL: the device may wait for a collective that others have "
                       "not called");
    json_decref(judged);
}
END_TEST

Suite *
suite_device(void)
{
    Suite *suite = suite_create("device");
    TCase *tcase = tcase_create("device");
    tcase_add_loop_test(tcase, stacks, 0, sizeof waits / sizeof *waits);
    tcase_add_test(tcase, others_wait);
    tcase_add_test(tcase, several_wait);
    tcase_add_test(tcase, beside_a_deadlock);
    tcase_add_test(tcase, another_thread);
    tcase_add_test(tcase, function_of_the_program);
    tcase_add_test(tcase, which_device);
    tcase_add_test(tcase, collectives_of_devices);
    suite_add_tcase(suite, tcase);
    return suite;
}
