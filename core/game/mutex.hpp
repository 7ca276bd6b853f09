// The lock of what threads share.
#pragma once

#include <mutex>

namespace ofc {

#if defined(__wasm__)
struct Mutex {  // there are no threads to keep out
    void lock() {}
    void unlock() {}
};
#else
using Mutex = std::mutex;
#endif

}  // namespace ofc
