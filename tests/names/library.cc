// SPDX-License-Identifier: BSD-3-Clause
// Threads that wait in functions of the C++ library, and in what these call back: each says where,
// as "FUNCTION at library.cc:LINE".
#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <mutex>
#include <thread>
#include <unistd.h>

#define SAY(library) \
    (printf("%s at library.cc:%d" library "\n", __func__, __LINE__ + 1), fflush(stdout))
#define APART __attribute__((noinline)) static

static std::mutex held;

APART void
visit(int)
{
    SAY("");
    pause();
    puts("");
}

APART void
visit_all()
{
    std::array<int, 3> numbers{};
    std::function<void(int)> function = visit;
    std::for_each(numbers.begin(), numbers.end(), function);
    puts("");
}

APART void
lock()
{
    SAY(" (std::lock_guard<...>::lock_guard)");
    std::lock_guard<std::mutex> guard(held);
    puts("");
}

APART void
join(std::thread &thread)
{
    SAY(" (std::thread::join)");
    thread.join();
    puts("");
}

int
main()
{
    held.lock();
    std::thread visitor(visit_all), locker(lock);
    join(locker);
    visitor.join();
}
