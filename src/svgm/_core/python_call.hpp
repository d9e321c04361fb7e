// A call from Python: it lets go of the GIL, hears signals, and can be stopped from another thread of Python.
#pragma once
#include <Python.h>

#include <atomic>

#include "interrupt.hpp"

// Ends the calls of the threads that run under it.
struct Stop {
  std::atomic<bool> requested{false};
};

// Makes the calls of this thread end by a stop, as long as it lives.
class Under {
 public:
  explicit Under(const Stop& stop);
  ~Under();
  Under(const Under&) = delete;
  Under& operator=(const Under&) = delete;

 private:
  const Stop* before_;
};

// To be made with the GIL, which its destructor takes again.  On Python's main thread, signal handlers run while it
// computes; an exception that one of them raises ends it.
class PythonCall final : public svgm::Call {
 public:
  PythonCall();
  ~PythonCall() override;

 private:
  void listen() override;

  const Stop* stop_;
  PyThreadState* state_;
  svgm::Working working_;
};

// Learns which thread is Python's main one, and when Python ends; to be called when the module is loaded.
void follow_python();
