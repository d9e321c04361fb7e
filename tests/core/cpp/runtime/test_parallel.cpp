// The pool: every task once, from many threads, within tasks, with too few threads, with exceptions and interrupts.
#include <algorithm>
#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include "check.hpp"
#include "runtime/parallel.hpp"

#ifndef _WIN32
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

using svgm::parallel_for;

namespace {

bool all_done(std::size_t count, std::size_t threads) {
  std::vector<std::atomic<int>> times(count);
  parallel_for(count, threads, [&](std::size_t i) { ++times[i]; });
  return std::all_of(times.begin(), times.end(), [](const std::atomic<int>& n) { return n == 1; });
}

}  // namespace

TEST(pool_does_every_task_once) {
  for (const std::size_t count : {0u, 1u, 2u, 7u, 1000u})
    for (const std::size_t threads : {0u, 1u, 2u, 5u, 1000000u}) CHECK(all_done(count, threads));
}

TEST(pool_carries_exceptions_and_works_on) {
  for (const std::size_t threads : {1u, 2u, 8u}) {
    std::atomic<int> begun{0};
    std::string message;
    try {
      parallel_for(100000, threads, [&](std::size_t i) {
        ++begun;
        if (i == 10) throw std::runtime_error("task 10");
      });
    } catch (const std::runtime_error& error) {
      message = error.what();
    }
    CHECK(message == "task 10");
    CHECK(begun < 100000);
    CHECK(all_done(1000, threads));
  }
}

TEST(pool_may_be_used_within_tasks) {
  std::atomic<int> total{0};
  parallel_for(8, 4, [&](std::size_t) {
    parallel_for(8, 4, [&](std::size_t) { parallel_for(8, 4, [&](std::size_t) { ++total; }); });
  });
  CHECK(total == 512);
}

TEST(pool_serves_many_callers) {
  std::vector<std::thread> callers;
  std::atomic<int> good{0};
  for (int c = 0; c < 8; ++c)
    callers.emplace_back([&] {
      for (int k = 0; k < 50; ++k) good += all_done(100, 3);
      try {
        parallel_for(100, 3, [](std::size_t i) {
          if (i % 3 == 0) throw std::bad_alloc();
        });
      } catch (const std::bad_alloc&) {
        ++good;
      }
    });
  for (std::thread& caller : callers) caller.join();
  CHECK(good == 8 * 51);
}

namespace {

struct Stopped {};

struct StoppedCall final : svgm::Call {
  explicit StoppedCall(int times) : left(times) {}
  void throw_if_interrupted() override {
    if (--left == 0) throw Stopped();
  }
  int left;
};

}  // namespace

TEST(pool_stops_all_threads_when_the_call_is_interrupted) {
  for (const std::size_t threads : {1u, 2u, 4u}) {
    StoppedCall call(2);
    bool stopped = false;
    try {
      const svgm::CallScope scope(&call, true);
      parallel_for(4, threads, [](std::size_t) {
        for (;;) svgm::check_interrupt();
      });
    } catch (const Stopped&) {
      stopped = true;
    }
    CHECK(stopped);
    CHECK(call.cancelled());
    CHECK(all_done(100, threads));
  }
}

TEST(pool_checks_for_interrupts_while_it_waits_for_helpers) {
  StoppedCall call(1);
  bool stopped = false;
  const std::thread::id here = std::this_thread::get_id();
  std::atomic<bool> helped{false};
  try {
    const svgm::CallScope scope(&call, true);
    parallel_for(2, 2, [&](std::size_t) {
      if (std::this_thread::get_id() == here) {
        while (!helped) svgm::check_interrupt();
        return;
      }
      helped = true;
      for (;;) svgm::check_interrupt();
    });
  } catch (const Stopped&) {
    stopped = true;
  }
  CHECK(stopped);
}

#if !defined(_WIN32) && !defined(__SANITIZE_THREAD__)  // the sanitizer makes a thread of its own after a fork
namespace {

template <class Child>
bool good_in_child(const Child& child) {
  const pid_t pid = fork();
  if (pid == 0) _exit(child() ? 0 : 1);
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

TEST(pool_is_made_anew_after_a_fork) {
  CHECK(all_done(1000, 4));
  CHECK(good_in_child([] { return all_done(1000, 4) && all_done(1000, 4); }));
  CHECK(all_done(1000, 4));
}

TEST(pool_works_without_threads) {
  CHECK(good_in_child([] {
    if (getuid() == 0 && setuid(65534) != 0) return true;  // the limit does not bind root
    const rlimit none{0, 0};
    setrlimit(RLIMIT_NPROC, &none);
    bool denied = false;
    try {
      std::thread([] {}).join();
    } catch (const std::system_error&) {
      denied = true;
    }
    return denied && all_done(1000, 4);
  }));
}
#endif
