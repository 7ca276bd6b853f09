// A way out of long work: whoever runs it may have asked to stop.
#pragma once

namespace ofc {

// Called now and then by loops that may take long; throws to end them. Set for the thread that runs the work.
inline thread_local void (*poll_hook)() = nullptr;

inline void poll() {
    if (poll_hook) poll_hook();
}

}  // namespace ofc
