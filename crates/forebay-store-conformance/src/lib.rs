//! Conformance tests of the store engines; see `tests/conformance`.
