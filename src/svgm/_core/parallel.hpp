// Independent tasks on a few threads.  Which thread does which task is left open, so a task must write its own result
// and nothing else: then the outcome does not depend on the number of threads.
#pragma once
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace svgm {

template <class Task>
void parallel_for(std::size_t count, std::size_t threads, const Task& task) {
  if (threads <= 1 || count <= 1) {
    for (std::size_t i = 0; i < count; ++i) task(i);
    return;
  }
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) task(i);
  };
  std::vector<std::thread> pool;
  for (std::size_t w = 1; w < threads && w < count; ++w) pool.emplace_back(work);
  work();
  for (std::thread& thread : pool) thread.join();
}

}  // namespace svgm
