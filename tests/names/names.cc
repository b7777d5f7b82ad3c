// SPDX-License-Identifier: BSD-3-Clause
// Six ranks that wait for each other in functions whose names are C++'s. Each says on its standard
// output how its function is to be called: "RANK LINE NAME".
#include <mpi.h>
#include <omp.h>

#include <cstdio>
#include <vector>

static int rank, next;

// What compilers call the first lambda of a function.
#ifdef __clang__
static const char lambda[] = "main::$_0::operator()";
#else
static const char lambda[] = "main::{lambda#1}";
#endif

// A macro, so that the line is the caller's.
#define RECEIVE(name)                                                      \
    (std::printf("%d %d %s\n", rank, __LINE__, name), std::fflush(stdout), \
     MPI_Recv(&value, 1, MPI_INT, next, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE), value)

namespace physics
{
namespace
{
__attribute__((noinline)) int
hidden()
{
    int value = 0;
    return RECEIVE("physics::(anonymous namespace)::hidden");
}
} // namespace

template <typename T, typename Field = std::vector<T>> struct solver {
    Field field{T(1)};

    __attribute__((noinline)) int run(const Field &other)
    {
        int value = (int) other.size();
        return RECEIVE("physics::solver<...>::run") + (int) field.size();
    }

    __attribute__((noinline)) bool operator<(int bound)
    {
        int value = 0;
        return RECEIVE("physics::solver<...>::operator<") < bound;
    }

    __attribute__((noinline)) int share()
    {
        int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
        if (omp_get_thread_num() == 1) {
            int value = 0;
            sum += RECEIVE("physics::solver<...>::share");
        }
        return sum;
    }

    __attribute__((noinline)) int defer()
    {
        int sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
        {
#pragma omp task shared(sum)
            {
                int value = 0;
                sum += RECEIVE("physics::solver<...>::defer");
            }
        }
        return sum;
    }
};
} // namespace physics

int
main(int argc, char **argv)
{
    int given, size, ret = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    next = (rank + 1) % size;
    physics::solver<double> solver;
    auto local = [&](int start) __attribute__((noinline))
    {
        int value = start;
        return RECEIVE(lambda) + ret;
    };
    switch (rank) {
    case 0:
        ret = solver.run({1.0, 2.0});
        break;
    case 1:
        ret = solver < size;
        break;
    case 2:
        ret = physics::hidden();
        break;
    case 3:
        ret = local(argc);
        break;
    case 4:
        ret = solver.share();
        break;
    default:
        ret = solver.defer();
    }
    MPI_Finalize();
    return ret;
}
