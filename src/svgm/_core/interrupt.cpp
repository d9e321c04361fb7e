#include "interrupt.hpp"

#include <algorithm>

namespace svgm {
namespace {

constexpr unsigned kLongestStride = 64;
// Between two looks at the clock.  A look takes some 30 ns.
constexpr Clock::duration kSoon = std::chrono::microseconds(200), kLate = std::chrono::milliseconds(1);

}  // namespace

constinit thread_local Poll poll;

void Call::hear() {
  try {
    listen();
  } catch (...) {
    ends_.store(true, std::memory_order_relaxed);
    throw;
  }
}

Working::Working(Call* call, bool own) : before_(poll) {
  poll = {call, own, 1, 1, Clock::now(), {}};
  poll.heard = poll.looked;
}

void look() {
  const Clock::time_point now = Clock::now();
  const Clock::duration passed = now - poll.looked;
  if (passed < kSoon)
    poll.stride = std::min(2 * poll.stride, kLongestStride);
  else if (passed > kLate)
    poll.stride = std::max(poll.stride / 4, 1u);
  poll.looked = now;
  poll.left = poll.stride;
  if (!poll.call) return;
  if (poll.call->ends()) throw Interrupted();
  if (!poll.own || now - poll.heard < kListening) return;
  poll.heard = now;
  poll.call->hear();
}

}  // namespace svgm
