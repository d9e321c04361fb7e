// Independent tasks on the threads of one pool.  Any thread may do any task, so a task must write its own result and
// nothing else: then the outcome does not depend on the number of threads.
#pragma once
#include <cstddef>

#include "runtime/interrupt.hpp"

namespace svgm {

// Calls run(task, i) for all i below count, on this thread and up to `threads` - 1 others: fewer if they are busy or
// cannot be made.  May be called from many threads at once, and from within a task.  If a task throws, no further task
// begins and the exception is thrown here.
void run_in_pool(std::size_t count, std::size_t threads, void (*run)(const void* task, std::size_t i),
                 const void* task);

template <class Task>
void parallel_for(std::size_t count, std::size_t threads, const Task& task) {
  if (threads > 1 && count > 1) {
    run_in_pool(count, threads, [](const void* t, std::size_t i) { (*static_cast<const Task*>(t))(i); }, &task);
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    check_interrupt();
    task(i);
  }
}

}  // namespace svgm
