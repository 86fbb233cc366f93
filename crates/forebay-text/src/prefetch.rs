//! Memory prefetch hints. They pay in table lookups of indexing: `cargo xtask bench --only index`.

/// Prefetches the first cache line of a value where the target supports it; a hint without other effect.
#[inline]
pub fn fetch<T: ?Sized>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        #[expect(
            unsafe_code,
            reason = "SSE is part of x86-64, and prefetching a valid reference cannot fault"
        )]
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>((&raw const *value).cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
