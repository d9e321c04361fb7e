#include "binding/python_call.hpp"

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <thread>

#include "simd/instruction_set.hpp"

#ifndef _WIN32
#include <pthread.h>
#endif

namespace nb = nanobind;

namespace {

thread_local const Stop* this_stop = nullptr;
std::atomic<unsigned long> main_thread{0};
std::atomic<bool> ending{false};  // Python is about to end
std::atomic<int> returning{0};    // threads that are taking the GIL

void check_stop(const Stop* stop) {
  if (stop && stop->requested.load(std::memory_order_relaxed)) throw svgm::Interrupted();
}

bool on_main_thread() { return PyThread_get_thread_ident() == main_thread.load(std::memory_order_relaxed); }

// All that may throw, before the constructor releases the GIL.
const Stop* checked_stop() {
  svgm::instruction_set();
  check_stop(this_stop);
  return this_stop;
}

}  // namespace

StopScope::StopScope(const Stop& stop) : before_(this_stop) { this_stop = &stop; }
StopScope::~StopScope() { this_stop = before_; }

PythonCall::PythonCall() : stop_(checked_stop()), state_(PyEval_SaveThread()), scope_(this, true) {}

PythonCall::~PythonCall() {
  ++returning;
  if (ending && !on_main_thread()) {
    // A daemon thread that asked for the GIL now would be ended by Python, and with it the process: so it sleeps.
    --returning;
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
  }
  PyEval_RestoreThread(state_);
  --returning;
}

void PythonCall::throw_if_interrupted() {
  check_stop(stop_);
  if (!on_main_thread()) return;
  PyEval_RestoreThread(state_);
  std::exception_ptr raised;
  if (PyErr_CheckSignals() != 0) raised = std::make_exception_ptr(nb::python_error());
  state_ = PyEval_SaveThread();
  if (raised) std::rethrow_exception(raised);
}

void track_interpreter() {
  main_thread = nb::cast<unsigned long>(nb::module_::import_("threading").attr("main_thread")().attr("ident"));
#ifndef _WIN32
  pthread_atfork(nullptr, nullptr, [] {
    main_thread = PyThread_get_thread_ident();
    returning = 0;  // the child has no other threads
  });
#endif
  nb::module_::import_("atexit").attr("register")(nb::cpp_function([] {
    ending = true;
    const nb::gil_scoped_release release;
    while (returning > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }));
}
