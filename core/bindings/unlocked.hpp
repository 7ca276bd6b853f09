// Long native work without Python's lock, in the reach of Ctrl-C.
#pragma once

#include <chrono>

#include "bindings/bindings.hpp"
#include "game/poll.hpp"

namespace ofc::python {

// Gives Python's lock up for its lifetime. In the main thread the work's poll() calls let signals in every 50 ms: an
// interrupt then leaves the work as Python's own exception.
class Unlocked {
public:
    Unlocked() : outer_(poll_hook) {
        poll_hook = &Unlocked::check;
        next() = Clock::now() + kPause;
    }
    ~Unlocked() { poll_hook = outer_; }
    Unlocked(const Unlocked&) = delete;
    Unlocked& operator=(const Unlocked&) = delete;

private:
    using Clock = std::chrono::steady_clock;
    static constexpr auto kPause = std::chrono::milliseconds(50);
    static Clock::time_point& next() {
        static thread_local Clock::time_point time;
        return time;
    }
    static void check() {
        const auto now = Clock::now();
        if (now < next()) return;
        next() = now + kPause;
        const nb::gil_scoped_acquire acquire;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
    }

    nb::gil_scoped_release release_;
    void (*outer_)();
};

}  // namespace ofc::python
