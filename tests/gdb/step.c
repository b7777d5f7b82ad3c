// SPDX-License-Identifier: BSD-3-Clause
// A program that is stepped through: a region with a task, which the thread that meets it executes.
static volatile int total;

static void
add(int n)
{
    total = total + n; // in a function
}

static void
share(int n)
{
    int before = n; // before the region
#pragma omp parallel num_threads(2)
    {
        int mine = n + 1; // in the region
        if (mine > n)
            add(mine); // the call
#pragma omp task if (0)
        {
            int twice = 2 * mine; // in the task
            add(twice);
        }
#pragma omp barrier
        mine++; // behind the barrier
    }
    total = total + before; // behind the region
}

int
main(void)
{
    share(3);
    return 0; // at the end
}
