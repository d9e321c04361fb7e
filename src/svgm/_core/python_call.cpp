#include "python_call.hpp"

#include <nanobind/nanobind.h>

#include <chrono>
#include <exception>
#include <thread>

#include "instruction_set.hpp"

#ifndef _WIN32
#include <pthread.h>
#endif

namespace nb = nanobind;

namespace {

thread_local const Stop* this_stop = nullptr;
std::atomic<unsigned long> main_thread{0};
std::atomic<bool> closing{false};  // Python is about to end
std::atomic<int> returning{0};     // threads that are taking the GIL

void check(const Stop* stop) {
  if (stop && stop->requested.load(std::memory_order_relaxed)) throw svgm::Interrupted();
}

bool on_main_thread() { return PyThread_get_thread_ident() == main_thread.load(std::memory_order_relaxed); }

// Before the constructor lets go of the GIL: what may throw.
const Stop* checked_stop() {
  svgm::instruction_set();
  check(this_stop);
  return this_stop;
}

}  // namespace

Under::Under(const Stop& stop) : before_(this_stop) { this_stop = &stop; }
Under::~Under() { this_stop = before_; }

PythonCall::PythonCall() : stop_(checked_stop()), state_(PyEval_SaveThread()), working_(this, true) {}

PythonCall::~PythonCall() {
  ++returning;
  if (closing && !on_main_thread()) {
    // Where a thread that Python no longer waits for took the GIL, it would be ended, and with it the process.
    --returning;
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
  }
  PyEval_RestoreThread(state_);
  --returning;
}

void PythonCall::listen() {
  check(stop_);
  if (!on_main_thread()) return;
  PyEval_RestoreThread(state_);
  std::exception_ptr raised;
  if (PyErr_CheckSignals() != 0) raised = std::make_exception_ptr(nb::python_error());
  state_ = PyEval_SaveThread();
  if (raised) std::rethrow_exception(raised);
}

void follow_python() {
  main_thread = nb::cast<unsigned long>(nb::module_::import_("threading").attr("main_thread")().attr("ident"));
#ifndef _WIN32
  pthread_atfork(nullptr, nullptr, [] {
    main_thread = PyThread_get_thread_ident();
    returning = 0;  // the others do not exist here
  });
#endif
  nb::module_::import_("atexit").attr("register")(nb::cpp_function([] {
    closing = true;
    const nb::gil_scoped_release release;
    while (returning > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }));
}
