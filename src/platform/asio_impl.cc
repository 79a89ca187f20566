// Asio, compiled once for the whole program: every other file of this room sees declarations only
// (ASIO_SEPARATE_COMPILATION), which halves what its headers cost.
#include <asio/impl/src.hpp>
