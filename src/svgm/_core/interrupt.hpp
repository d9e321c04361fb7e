// How a long loop learns that its call must end.  The thread on which a call entered listens now and then; what it hears
// ends the call by an exception, and the threads that help it stop too.
#pragma once
#include <atomic>
#include <chrono>
#include <cstddef>

namespace svgm {

// Thrown where a call must end and no other exception says why.
struct Interrupted {};

using Clock = std::chrono::steady_clock;
inline constexpr Clock::duration kListening = std::chrono::milliseconds(50);

// One call into the core, on the thread that made it.
class Call {
 public:
  Call() = default;
  virtual ~Call() = default;
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // Listens, on the call's own thread; if that throws, all of the call ends.
  void hear();
  bool ends() const { return ends_.load(std::memory_order_relaxed); }

 private:
  // Throws if the call must end.
  virtual void listen() = 0;

  std::atomic<bool> ends_{false};
};

// What a thread works for, and when it looks whether that must end.
struct Poll {
  Call* call = nullptr;
  bool own = false;  // whether the call entered on this thread
  unsigned left = 1, stride = 1;
  Clock::time_point looked{}, heard{};
};
extern constinit thread_local Poll poll;

// Makes this thread work for a call, its own or another thread's, as long as it lives.
class Working {
 public:
  Working(Call* call, bool own);
  ~Working() { poll = before_; }
  Working(const Working&) = delete;
  Working& operator=(const Working&) = delete;

 private:
  Poll before_;
};

void look();

// Every loop that may be long calls this, at least every few milliseconds and at most every 100 ns or so: the clock is
// read once in up to 64 times.
inline void check_interrupt() {
  if (--poll.left == 0) look();
}

// The same for turn i of a loop whose turns are shorter.
inline void check_interrupt(std::size_t i) {
  if (i % 1024 == 0) check_interrupt();
}

}  // namespace svgm
