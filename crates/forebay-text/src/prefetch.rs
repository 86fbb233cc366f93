//! Looking ahead: what lies all over the memory and is read soon is fetched before anybody waits for it.

/// Has the processor fetch the first line of a value from memory, where it can be told to. Nothing changes but the time.
#[inline]
pub fn fetch<T: ?Sized>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        #[expect(unsafe_code, reason = "every such processor can, and what is fetched is there")]
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>((&raw const *value).cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
