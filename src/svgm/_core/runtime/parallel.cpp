#include "runtime/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#ifndef _WIN32
#include <pthread.h>
#include <signal.h>
#endif

namespace svgm {
namespace {

// The tasks of one caller.
struct Tasks {
  const std::size_t count;
  void (*const run)(const void* task, std::size_t i);
  const void* const task;
  Call* const call;
  std::atomic<std::size_t> next{0};
  // Guarded by the pool's mutex:
  std::size_t wanted;  // helpers that may still join
  std::size_t active = 0;
  std::exception_ptr error = nullptr;
  std::condition_variable helper_left = {};

  void work() {
    try {
      for (std::size_t i = next++; i < count; i = next++) {
        check_interrupt();
        run(task, i);
      }
    } catch (...) {
      next = count;  // no thread begins another task
      throw;
    }
  }
};

// Threads that sleep until there are tasks; they are made once, when first needed.  They are never joined and the pool
// is never destroyed, so a process that ends waits for nothing.
class Pool {
 public:
  void offer(Tasks& tasks) {
    const std::lock_guard lock(mutex_);
    offered_.push_back(&tasks);
    std::size_t wanted = 0;
    for (const Tasks* other : offered_) wanted += other->wanted;
    while (idle_ < wanted && threads_ < kMostThreads && start()) {
      ++threads_;
      ++idle_;
    }
    for (std::size_t i = 0; i < tasks.wanted; ++i) ready_.notify_one();
  }

  // Waits until no helper works on the tasks.  An exception of the checks meanwhile goes to `error`.
  void withdraw(Tasks& tasks, std::exception_ptr& error) {
    std::unique_lock lock(mutex_);
    std::erase(offered_, &tasks);
    while (tasks.active > 0) {
      const bool notified = tasks.helper_left.wait_for(lock, kCheckInterval) == std::cv_status::no_timeout;
      if (notified || !thread_state.own || error) continue;
      lock.unlock();
      try {
        thread_state.call->check();
      } catch (...) {
        error = std::current_exception();
      }
      lock.lock();
    }
    if (!error) error = tasks.error;
  }

 private:
  // More threads than cores save no time.  Up to 16 are made nevertheless, so that tests of many threads run on few
  // cores.
  const std::size_t kMostThreads = std::max(16u, std::thread::hardware_concurrency());

  // Makes a thread; false if none can be made, so that the others do the work.
  bool start() {
#ifndef _WIN32
    sigset_t all, before;  // Python's own threads handle signals
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
#endif
    bool started = true;
    try {
      std::thread([this] { serve(); }).detach();
    } catch (const std::system_error&) {
      started = false;
    } catch (const std::bad_alloc&) {
      started = false;
    }
#ifndef _WIN32
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
#endif
    return started;
  }

  void serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
      ready_.wait(lock, [&] { return !offered_.empty(); });
      Tasks& tasks = *offered_.front();
      if (--tasks.wanted == 0) offered_.erase(offered_.begin());
      ++tasks.active;
      --idle_;
      lock.unlock();
      std::exception_ptr error;
      try {
        const CallScope scope(tasks.call, false);
        tasks.work();
      } catch (const Interrupted&) {  // the caller has the exception that says why
      } catch (...) {
        error = std::current_exception();
      }
      lock.lock();
      ++idle_;
      if (!tasks.error) tasks.error = std::move(error);
      error = nullptr;
      if (--tasks.active == 0) tasks.helper_left.notify_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable ready_;
  std::vector<Tasks*> offered_;
  std::size_t threads_ = 0, idle_ = 0;
};

std::atomic<Pool*> the_pool{nullptr};

Pool& pool() {
  Pool* found = the_pool.load(std::memory_order_acquire);
  if (found) return *found;
  Pool* made = new Pool;
  if (the_pool.compare_exchange_strong(found, made)) return *made;
  delete made;
  return *found;
}

#ifndef _WIN32
// After a fork the child has none of the threads, and a mutex that may be locked: so it makes a pool of its own.
[[maybe_unused]] const int registered = pthread_atfork(nullptr, nullptr, [] { the_pool.store(nullptr); });
#endif

}  // namespace

void run_in_pool(std::size_t count, std::size_t threads, void (*run)(const void* task, std::size_t i),
                 const void* task) {
  Tasks tasks{
      .count = count, .run = run, .task = task, .call = thread_state.call, .wanted = std::min(threads, count) - 1};
  Pool& helpers = pool();
  helpers.offer(tasks);
  std::exception_ptr error;
  try {
    tasks.work();
  } catch (...) {
    error = std::current_exception();
  }
  helpers.withdraw(tasks, error);
  if (error) std::rethrow_exception(error);
}

}  // namespace svgm
