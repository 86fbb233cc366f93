//! The heap: what the C library's allocator is told about the work ahead. Where there is another, all works as well.

#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) use gnu::{expect_much, share};
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) use other::{expect_much, share};

#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod gnu {
    use std::hint::black_box;

    use libc::c_int;

    /// As few heaps as make no thread wait: with one for each processor a quarter fewer searches were answered.
    const HEAPS_A_PROCESSOR: usize = 2;
    /// What is put aside for a large piece of work, in pieces that are not yet mapped on their own.
    const PIECES: usize = 10;
    const PIECE_BYTES: usize = 16 * 1024 * 1024;
    const HUGE_PAGE: usize = 2 * 1024 * 1024;

    /// Has threads share their heaps: each would keep the most it ever used, a tenth of the server's memory.
    pub(crate) fn share() {
        let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let most = i32::try_from(HEAPS_A_PROCESSOR * processors).unwrap_or(i32::MAX);
        tell(libc::M_ARENA_MAX, most);
    }

    /// Puts memory aside for a command that needs much of it. None is used before it is needed; but then it comes in
    /// large pages, and is not given back and asked for again. That saves a twentieth of the time of indexing.
    pub(crate) fn expect_much() {
        tell(libc::M_MMAP_THRESHOLD, 2 * PIECE_BYTES as c_int);
        tell(libc::M_TRIM_THRESHOLD, c_int::MAX);
        let used = end_of_heap();
        let start = used.next_multiple_of(HUGE_PAGE);
        leave_out(start - used);
        grow_heap();
        advise_huge_pages(start, end_of_heap());
    }

    /// Takes memory that nobody will use: what lies before the first huge page would come in small ones.
    #[expect(unsafe_code, reason = "nobody looks into it")]
    fn leave_out(bytes: usize) {
        black_box(unsafe { libc::malloc(bytes) });
    }

    /// Takes all that is put aside and gives it back; the allocator keeps it.
    #[expect(unsafe_code, reason = "each piece is given back as it came, and nobody looks into it")]
    fn grow_heap() {
        // A compiler that sees that nobody uses them leaves them out.
        let pieces = [(); PIECES].map(|()| black_box(unsafe { libc::malloc(PIECE_BYTES) }));
        pieces.into_iter().rev().for_each(|piece| unsafe { libc::free(piece) });
    }

    /// The allocator answers whether it took the word; without it all works as well.
    #[expect(unsafe_code, reason = "a number is set that the allocator reads")]
    fn tell(what: c_int, value: c_int) {
        unsafe { libc::mallopt(what, value) };
    }

    #[expect(unsafe_code, reason = "the heap stays as large as it is")]
    fn end_of_heap() -> usize {
        unsafe { libc::sbrk(0) }.addr()
    }

    /// Asks for huge pages from `start` on, which is the first, to the last whole one; on a system that has none nothing
    /// changes.
    #[expect(unsafe_code, reason = "it is advice: no byte changes")]
    fn advise_huge_pages(start: usize, end: usize) {
        if let Some(bytes) = (end - end % HUGE_PAGE).checked_sub(start) {
            let start = std::ptr::with_exposed_provenance_mut(start);
            unsafe { libc::madvise(start, bytes, libc::MADV_HUGEPAGE) };
        }
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
mod other {
    pub(crate) fn share() {}
    pub(crate) fn expect_much() {}
}
