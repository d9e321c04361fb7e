#include "runtime/interrupt.hpp"

#include <algorithm>

namespace svgm {
namespace {

constexpr unsigned kLongestStride = 64;
// The time between two readings of the clock is kept between these.  A reading takes about 30 ns.
constexpr Clock::duration kShortest = std::chrono::microseconds(200), kLongest = std::chrono::milliseconds(1);

}  // namespace

constinit thread_local ThreadState thread_state;

void Call::check() {
  try {
    throw_if_interrupted();
  } catch (...) {
    cancelled_.store(true, std::memory_order_relaxed);
    throw;
  }
}

CallScope::CallScope(Call* call, bool own) : before_(thread_state) {
  const Clock::time_point now = Clock::now();
  thread_state = {call, own, 1, 1, now, now};
}

void read_clock() {
  ThreadState& state = thread_state;
  const Clock::time_point now = Clock::now();
  const Clock::duration passed = now - state.last_reading;
  if (passed < kShortest)
    state.stride = std::min(2 * state.stride, kLongestStride);
  else if (passed > kLongest)
    state.stride = std::max(state.stride / 4, 1u);
  state.last_reading = now;
  state.turns_left = state.stride;
  if (!state.call) return;
  if (state.call->cancelled()) throw Interrupted();
  if (!state.own || now - state.last_check < kCheckInterval) return;
  state.last_check = now;
  state.call->check();
}

}  // namespace svgm
