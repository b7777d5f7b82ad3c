// SPDX-License-Identifier: BSD-3-Clause
// Heap sort of numbers.
#include "target/sort.h"

struct heap {
    uint32_t *numbers;
    size_t count;
    int (*less)(void *context, uint32_t a, uint32_t b);
    void *context;
};

static void
swap(uint32_t *a, uint32_t *b)
{
    uint32_t old = *a;
    *a = *b;
    *b = old;
}

// Lets the number at `root` sink below all that come after it in the order.
static void
sink(struct heap *heap, size_t root)
{
    // Below count / 2 a node has a left child; that form cannot overflow.
    while (root < heap->count / 2) {
        size_t child = 2 * root + 1;
        if (child + 1 < heap->count &&
            heap->less(heap->context, heap->numbers[child], heap->numbers[child + 1]))
            child++;
        if (!heap->less(heap->context, heap->numbers[root], heap->numbers[child]))
            return;
        swap(&heap->numbers[root], &heap->numbers[child]);
        root = child;
    }
}

void
sort_numbers(uint32_t *numbers, size_t count, int (*less)(void *context, uint32_t a, uint32_t b),
             void *context)
{
    struct heap heap = {numbers, count, less, context};
    for (size_t root = count / 2; root > 0; root--)
        sink(&heap, root - 1);
    while (heap.count > 1) {
        heap.count--;
        swap(&numbers[0], &numbers[heap.count]);
        sink(&heap, 0);
    }
}
