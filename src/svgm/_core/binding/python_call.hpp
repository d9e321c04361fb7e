// A call from Python: it releases the GIL, handles signals, and can be stopped from another thread of Python.
#pragma once
#include <Python.h>

#include <atomic>

#include "runtime/interrupt.hpp"

// A request that the calls of some threads end.
struct Stop {
  std::atomic<bool> requested{false};
};

// While it lives, a stop ends the calls of this thread.
class StopScope {
 public:
  explicit StopScope(const Stop& stop);
  ~StopScope();
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

 private:
  const Stop* before_;
};

// Made while holding the GIL, which it releases; its destructor takes the GIL again.  On Python's main thread, signal
// handlers run during the call; if one of them raises an exception, the call ends with that exception.
class PythonCall final : public svgm::Call {
 public:
  PythonCall();
  ~PythonCall() override;

 private:
  void throw_if_interrupted() override;

  const Stop* stop_;
  PyThreadState* state_;
  svgm::CallScope scope_;
};

// Notes which thread is Python's main one, and when Python ends; to be called when the module is loaded.
void track_interpreter();
