//! What a text means, as a direction in many dimensions: a signed byte each.

/// How nearly two directions are the same: 1 for the same, 0 for unrelated ones.
pub fn nearness(a: &[u8], b: &[u8]) -> f32 {
    let lengths = length(a) * length(b);
    if lengths > 0.0 { dot(a, b) as f32 / lengths } else { 0.0 }
}

pub fn length(a: &[u8]) -> f32 {
    (dot(a, a) as f32).sqrt()
}

/// Writes a direction in bytes, the largest component first to fit; false, and nothing written, if it has none.
pub fn write_bytes(direction: &[f32], bytes: &mut [u8]) -> bool {
    let largest = direction.iter().fold(0.0_f32, |largest, number| largest.max(number.abs()));
    let scale = 127.0 / largest;
    // Of numbers next to nothing the scale is beyond all numbers.
    if largest <= 0.0 || !scale.is_finite() {
        return false;
    }
    for (byte, number) in bytes.iter_mut().zip(direction) {
        let scaled = number * scale;
        *byte = ((scaled + 0.5_f32.copysign(scaled)) as i8).cast_unsigned();
    }
    true
}

/// The sum of the products; what is beyond the shorter one does not count.
#[inline(always)]
#[allow(clippy::inline_always, reason = "it is made for the registers of its caller")]
#[allow(clippy::needless_range_loop, reason = "an adapter of iterators is a function of its own")]
fn dot(a: &[u8], b: &[u8]) -> i32 {
    const AT_ONCE: usize = 32;
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<AT_ONCE>(), b.as_chunks::<AT_ONCE>());
    let mut sum = 0;
    for part in 0..a.len().min(b.len()) {
        for at in 0..AT_ONCE {
            sum += i32::from(a[part][at].cast_signed()) * i32::from(b[part][at].cast_signed());
        }
    }
    for at in 0..a_rest.len().min(b_rest.len()) {
        sum += i32::from(a_rest[at].cast_signed()) * i32::from(b_rest[at].cast_signed());
    }
    sum
}

/// Writes the products of one direction with all of `others`, which stand one after the other; by the best
/// instructions that the processor has.
pub fn dots(one: &[u8], others: &[u8], products: &mut [i32]) {
    #[cfg(target_arch = "x86_64")]
    if wide::dots(one, others, products) {
        return;
    }
    dots_plain(one, others, products);
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "it is made for the registers of its caller")]
#[allow(clippy::needless_range_loop, reason = "an adapter of iterators is a function of its own")]
fn dots_plain(one: &[u8], others: &[u8], products: &mut [i32]) {
    let width = one.len();
    for at in 0..products.len() {
        products[at] = dot(one, &others[at * width..(at + 1) * width]);
    }
}

#[cfg(target_arch = "x86_64")]
mod wide {
    use std::arch::is_x86_feature_detected as has;
    use std::arch::x86_64::{
        __m512i, _mm512_add_epi32, _mm512_dpbusd_epi32, _mm512_loadu_si512,
        _mm512_reduce_add_epi32, _mm512_set1_epi8, _mm512_set1_epi32, _mm512_setzero_si512,
        _mm512_shuffle_i32x4, _mm512_storeu_si512, _mm512_sub_epi32, _mm512_unpackhi_epi32,
        _mm512_unpackhi_epi64, _mm512_unpacklo_epi32, _mm512_unpacklo_epi64, _mm512_xor_si512,
    };

    /// Numbers in a register.
    const WIDTH: usize = 64;
    /// Directions that are compared together: as many as a register has sums.
    const TOGETHER: usize = 16;

    /// Does it if the processor has registers for it.
    #[expect(unsafe_code, reason = "the processor was asked for what the functions need")]
    pub(super) fn dots(one: &[u8], others: &[u8], products: &mut [i32]) -> bool {
        if has!("avx512f") && has!("avx512vnni") && one.len().is_multiple_of(WIDTH) {
            unsafe { by_byte(one, others, products) };
            return true;
        }
        if has!("avx2") {
            unsafe { by_word(one, others, products) };
            return true;
        }
        false
    }

    #[target_feature(enable = "avx2")]
    fn by_word(one: &[u8], others: &[u8], products: &mut [i32]) {
        super::dots_plain(one, others, products);
    }

    /// Multiplies and adds four bytes at once. The instruction takes one side without a sign, so that side is
    /// moved up by 128, and what this adds to every product is taken away again.
    #[target_feature(enable = "avx512f,avx512vnni")]
    #[allow(
        clippy::needless_range_loop,
        reason = "an adapter of iterators is a function of its own"
    )]
    fn by_byte(one: &[u8], others: &[u8], products: &mut [i32]) {
        let (parts, others) = (one.as_chunks().0, others.as_chunks().0);
        let added = 128 * sum(parts);
        let (blocks, rest) = products.as_chunks_mut::<TOGETHER>();
        let width = parts.len();
        for at in 0..blocks.len() {
            let first = at * TOGETHER * width;
            let sums = summed_up(&each_sum(parts, &others[first..first + TOGETHER * width]));
            store(_mm512_sub_epi32(sums, _mm512_set1_epi32(added)), &mut blocks[at]);
        }
        for at in 0..rest.len() {
            let first = (blocks.len() * TOGETHER + at) * width;
            let [sums] = each_sum(parts, &others[first..first + width]);
            rest[at] = _mm512_reduce_add_epi32(sums) - added;
        }
    }

    /// The sum of all numbers: each taken once.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vnni")]
    #[allow(
        clippy::needless_range_loop,
        reason = "an adapter of iterators is a function of its own"
    )]
    fn sum(parts: &[[u8; WIDTH]]) -> i32 {
        let mut sums = _mm512_setzero_si512();
        for part in 0..parts.len() {
            sums = _mm512_dpbusd_epi32(sums, _mm512_set1_epi8(1), loaded(&parts[part]));
        }
        _mm512_reduce_add_epi32(sums)
    }

    /// The products of so many directions, each in sixteen sums.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vnni")]
    #[allow(
        clippy::needless_range_loop,
        reason = "an adapter of iterators is a function of its own"
    )]
    fn each_sum<const COUNT: usize>(
        parts: &[[u8; WIDTH]],
        others: &[[u8; WIDTH]],
    ) -> [__m512i; COUNT] {
        let moved = _mm512_set1_epi8(i8::MIN);
        let mut sums = [_mm512_setzero_si512(); COUNT];
        for part in 0..parts.len() {
            let own = loaded(&parts[part]);
            for at in 0..COUNT {
                let other = _mm512_xor_si512(loaded(&others[at * parts.len() + part]), moved);
                sums[at] = _mm512_dpbusd_epi32(sums[at], other, own);
            }
        }
        sums
    }

    /// Adds up what each register has, all of them at once: halves are put side by side and added, again and again.
    #[inline]
    #[target_feature(enable = "avx512f")]
    #[allow(
        clippy::needless_range_loop,
        reason = "an adapter of iterators is a function of its own"
    )]
    fn summed_up(sums: &[__m512i; TOGETHER]) -> __m512i {
        let mut pairs = [_mm512_setzero_si512(); TOGETHER / 2];
        for at in 0..pairs.len() {
            let (a, b) = (sums[2 * at], sums[2 * at + 1]);
            pairs[at] = _mm512_add_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
        }
        let mut fours = [_mm512_setzero_si512(); TOGETHER / 4];
        for at in 0..fours.len() {
            let (a, b) = (pairs[2 * at], pairs[2 * at + 1]);
            fours[at] = _mm512_add_epi32(_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b));
        }
        let (first, last) = (by_quarters(fours[0], fours[1]), by_quarters(fours[2], fours[3]));
        by_quarters(first, last)
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn by_quarters(a: __m512i, b: __m512i) -> __m512i {
        _mm512_add_epi32(_mm512_shuffle_i32x4::<0x88>(a, b), _mm512_shuffle_i32x4::<0xdd>(a, b))
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn store(sums: __m512i, products: &mut [i32; TOGETHER]) {
        #[expect(unsafe_code, reason = "there is room for as many as are written")]
        unsafe {
            _mm512_storeu_si512(products.as_mut_ptr().cast(), sums);
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn loaded(bytes: &[u8; WIDTH]) -> __m512i {
        #[expect(unsafe_code, reason = "as many bytes are there as are read, wherever they begin")]
        unsafe {
            _mm512_loadu_si512(bytes.as_ptr().cast())
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn all_dots(one: &[u8], others: &[u8]) -> Vec<i32> {
        let mut products = vec![0; others.len() / one.len().max(1)];
        dots(one, others, &mut products);
        products
    }

    proptest! {
        #[test]
        fn many_are_compared_as_one_is(
            width in prop_oneof![1_usize..400, Just(64), Just(256), Just(384)],
            bytes in proptest::collection::vec(any::<u8>(), 0..4_000),
        ) {
            let (one, others) = bytes.split_at(width.min(bytes.len()));
            let expect: Vec<i32> =
                others.chunks_exact(one.len().max(1)).map(|other| dot(one, other)).collect();
            prop_assert_eq!(all_dots(one, others), expect);
        }
    }

    #[test]
    fn the_largest_products_fit() {
        for (a, b, product) in [(-128, -128, 16_384), (-128, 127, -16_256), (127, 127, 16_129)] {
            let (one, others) = ([i8::cast_unsigned(a); 256], [i8::cast_unsigned(b); 512]);
            assert_eq!(all_dots(&one, &others), [256 * product; 2]);
        }
        assert!(all_dots(&[], &[]).is_empty() && all_dots(&[1; 64], &[1; 63]).is_empty());
    }

    #[test]
    fn a_direction_in_bytes_points_where_it_pointed() {
        let mut bytes = [0; 3];
        assert!(write_bytes(&[0.5, -1.0, 0.003], &mut bytes));
        assert_eq!(bytes.map(u8::cast_signed), [64, -127, 0]);
        assert!(!write_bytes(&[0.0; 3], &mut bytes) && !write_bytes(&[1e-40; 3], &mut bytes));
    }

    #[test]
    fn directions_are_compared_whatever_their_length() {
        let bytes = |numbers: [i8; 2]| numbers.map(i8::cast_unsigned);
        assert!((nearness(&bytes([3, 4]), &bytes([30, 40])) - 1.0).abs() < 1e-6);
        assert!((nearness(&bytes([3, 4]), &bytes([-3, -4])) + 1.0).abs() < 1e-6);
        assert!(nearness(&bytes([1, 0]), &bytes([0, 1])).abs() < 1e-6);
        assert!(nearness(&[0, 0], &[1, 1]).abs() < 1e-6);
    }
}
