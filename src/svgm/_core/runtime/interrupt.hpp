// How a long loop learns that its call must end.  The thread that made the call checks now and then; if the check
// throws, the exception ends the call, and the threads that help it stop too.
#pragma once
#include <atomic>
#include <chrono>
#include <cstddef>

namespace svgm {

// Thrown where a call must end and no other exception says why.
struct Interrupted {};

using Clock = std::chrono::steady_clock;
inline constexpr Clock::duration kCheckInterval = std::chrono::milliseconds(50);

// One call into the core, on the thread that made it.
class Call {
 public:
  Call() = default;
  virtual ~Call() = default;
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // To be called on the call's own thread.  If the check throws, all threads of the call end.
  void check();
  bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }

 private:
  // Throws if the call must end.
  virtual void throw_if_interrupted() = 0;

  std::atomic<bool> cancelled_{false};
};

// Which call a thread works for, and when it checks next whether the call must end.
struct ThreadState {
  Call* call = nullptr;
  bool own = false;  // whether this thread made the call
  unsigned turns_left = 1, stride = 1;  // turns of loops until the clock is read, and between two readings
  Clock::time_point last_reading{}, last_check{};
};
extern constinit thread_local ThreadState thread_state;

// While it lives, this thread works for a call: its own or another thread's.
class CallScope {
 public:
  CallScope(Call* call, bool own);
  ~CallScope() { thread_state = before_; }
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;

 private:
  ThreadState before_;
};

void read_clock();

// Every loop that may take long calls this, at least every few milliseconds and at most about every 100 ns: the clock
// is read once in up to 64 calls.
inline void check_interrupt() {
  if (--thread_state.turns_left == 0) read_clock();
}

// The same for turn i of a loop whose turns are shorter.
inline void check_interrupt(std::size_t i) {
  if (i % 1024 == 0) check_interrupt();
}

}  // namespace svgm
