//! Many directions, compared with one.
//!
//! They lie one after the other in lines, as the processor reads them, and each is moved up by 128: its best
//! instruction multiplies bytes without a sign by bytes with one.

use super::length;

const LINE: usize = 64;

/// What the processor reads at once.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(align(64))]
struct Line([u8; LINE]);

/// Turns a byte with a sign into one without that is larger by [`MOVED`], and back.
const SIGN: u8 = 0x80;
const MOVED: i32 = 128;

/// Directions of one width.
#[derive(Debug, Default)]
pub struct Directions {
    /// Bytes of each.
    width: usize,
    lengths: Vec<f32>,
    lines: Vec<Line>,
}

/// A direction that others are compared with.
#[derive(Debug)]
pub struct Aim {
    width: usize,
    length: f32,
    lines: Vec<Line>,
    /// What the others' being moved adds to every product.
    added: i32,
}

impl Aim {
    /// None for a direction that has no length.
    pub fn at(direction: &[u8]) -> Option<Self> {
        let length = length(direction);
        let sum: i32 = direction.iter().map(|byte| i32::from(byte.cast_signed())).sum();
        let aim = || Self {
            width: direction.len(),
            length,
            lines: lines(direction).collect(),
            added: MOVED * sum,
        };
        (length > 0.0).then(aim)
    }
}

/// A direction in lines; zeros fill the last.
fn lines(direction: &[u8]) -> impl Iterator<Item = Line> {
    direction.chunks(LINE).map(|part| {
        let mut line = Line([0; LINE]);
        line.0[..part.len()].copy_from_slice(part);
        line
    })
}

fn moved(line: Line) -> Line {
    Line(line.0.map(|byte| byte ^ SIGN))
}

impl Directions {
    pub fn new(width: usize) -> Self {
        Self { width, ..Self::default() }
    }

    /// Adds a direction, if it is of their width.
    pub fn add(&mut self, direction: &[u8]) -> bool {
        let fits = direction.len() == self.width;
        if fits {
            self.lengths.push(length(direction));
            self.lines.extend(lines(direction).map(moved));
        }
        fits
    }

    /// Keeps those of which `is_kept` answers so, asked in order.
    pub fn retain(&mut self, mut is_kept: impl FnMut(usize) -> bool) {
        let mut kept = Self::new(self.width);
        for (number, length) in self.lengths.iter().enumerate() {
            if is_kept(number) {
                kept.lengths.push(*length);
                kept.lines.extend_from_slice(self.lines_of(number, 1));
            }
        }
        *self = kept;
    }

    /// Writes how near those from `first` on are, as many as there are places; none is near to an aim of another
    /// width.
    pub fn nearness_to(&self, aim: &Aim, first: usize, nearness: &mut [f32]) {
        if aim.width != self.width {
            return nearness.fill(0.0);
        }
        let others = Others {
            lines: self.lines_of(first, nearness.len()),
            lengths: &self.lengths[first..first + nearness.len()],
        };
        #[cfg(target_arch = "x86_64")]
        if wide::compare(aim, &others, nearness) {
            return;
        }
        compare(aim, &others, nearness);
    }

    fn lines_of(&self, first: usize, count: usize) -> &[Line] {
        let each = self.width.div_ceil(LINE);
        &self.lines[first * each..(first + count) * each]
    }
}

/// Directions that are compared, with their lengths.
struct Others<'a> {
    lines: &'a [Line],
    lengths: &'a [f32],
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "it is made for the registers of its caller")]
#[allow(clippy::needless_range_loop, reason = "an adapter of iterators is a function of its own")]
fn compare(aim: &Aim, others: &Others<'_>, nearness: &mut [f32]) {
    let each = aim.lines.len();
    for at in 0..nearness.len() {
        let mut product = -aim.added;
        for part in 0..each {
            let (own, other) = (&aim.lines[part].0, &others.lines[at * each + part].0);
            for byte in 0..LINE {
                product += i32::from(own[byte].cast_signed()) * i32::from(other[byte]);
            }
        }
        nearness[at] = product as f32 / (aim.length * others.lengths[at]);
    }
}

#[cfg(target_arch = "x86_64")]
mod wide {
    use std::arch::is_x86_feature_detected as has;
    use std::arch::x86_64::{
        __m512, __m512i, _mm512_add_epi32, _mm512_cvtepi32_ps, _mm512_div_ps, _mm512_dpbusd_epi32,
        _mm512_load_si512, _mm512_loadu_ps, _mm512_mul_ps, _mm512_reduce_add_epi32,
        _mm512_set1_epi32, _mm512_set1_ps, _mm512_setzero_si512, _mm512_shuffle_i32x4,
        _mm512_storeu_ps, _mm512_sub_epi32, _mm512_unpackhi_epi32, _mm512_unpackhi_epi64,
        _mm512_unpacklo_epi32, _mm512_unpacklo_epi64,
    };

    use super::{Aim, Line, Others};

    /// Directions that are compared together: as many as a register has sums.
    const TOGETHER: usize = 16;

    /// Does it if the processor has registers for it.
    #[expect(unsafe_code, reason = "the processor was asked for what the functions need")]
    pub(super) fn compare(aim: &Aim, others: &Others<'_>, nearness: &mut [f32]) -> bool {
        if has!("avx512f") && has!("avx512vnni") {
            unsafe { by_byte(aim, others, nearness) };
            return true;
        }
        if has!("avx2") {
            unsafe { by_word(aim, others, nearness) };
            return true;
        }
        false
    }

    #[target_feature(enable = "avx2")]
    fn by_word(aim: &Aim, others: &Others<'_>, nearness: &mut [f32]) {
        super::compare(aim, others, nearness);
    }

    /// Multiplies and adds four bytes at once.
    #[target_feature(enable = "avx512f,avx512vnni")]
    fn by_byte(aim: &Aim, others: &Others<'_>, nearness: &mut [f32]) {
        let each = aim.lines.len();
        let (blocks, rest) = nearness.as_chunks_mut::<TOGETHER>();
        let (lengths, rest_lengths) = others.lengths.as_chunks::<TOGETHER>();
        let (added, own_length) = (_mm512_set1_epi32(aim.added), _mm512_set1_ps(aim.length));
        let (lines, rest_lines) = others.lines.split_at(blocks.len() * TOGETHER * each);
        for (at, (block, lengths)) in blocks.iter_mut().zip(lengths).enumerate() {
            let lines = &lines[at * TOGETHER * each..(at + 1) * TOGETHER * each];
            let products = _mm512_sub_epi32(summed_up(&each_sum(&aim.lines, lines)), added);
            let lengths = _mm512_mul_ps(own_length, load_lengths(lengths));
            store(_mm512_div_ps(_mm512_cvtepi32_ps(products), lengths), block);
        }
        for (at, (nearness, length)) in rest.iter_mut().zip(rest_lengths).enumerate() {
            let [sums] = each_sum(&aim.lines, &rest_lines[at * each..(at + 1) * each]);
            let product = _mm512_reduce_add_epi32(sums) - aim.added;
            *nearness = product as f32 / (aim.length * length);
        }
    }

    /// The products of so many directions, each in sixteen sums.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vnni")]
    #[allow(
        clippy::needless_range_loop,
        reason = "an adapter of iterators is a function of its own"
    )]
    fn each_sum<const COUNT: usize>(aim: &[Line], others: &[Line]) -> [__m512i; COUNT] {
        let mut sums = [_mm512_setzero_si512(); COUNT];
        for part in 0..aim.len() {
            let own = load(&aim[part]);
            for at in 0..COUNT {
                let other = load(&others[at * aim.len() + part]);
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
    fn load(line: &Line) -> __m512i {
        #[expect(unsafe_code, reason = "a line is as long as a register, and lies as it wants it")]
        unsafe {
            _mm512_load_si512(line.0.as_ptr().cast())
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn load_lengths(lengths: &[f32; TOGETHER]) -> __m512 {
        #[expect(unsafe_code, reason = "as many are there as are read")]
        unsafe {
            _mm512_loadu_ps(lengths.as_ptr())
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn store(numbers: __m512, places: &mut [f32; TOGETHER]) {
        #[expect(unsafe_code, reason = "there is room for as many as are written")]
        unsafe {
            _mm512_storeu_ps(places.as_mut_ptr(), numbers);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::nearness;
    use super::*;

    fn all(aim: &[u8], others: &[&[u8]]) -> Vec<f32> {
        let mut directions = Directions::new(aim.len());
        assert!(others.iter().all(|other| directions.add(other)));
        let mut told = vec![7.0; others.len()];
        directions.nearness_to(&Aim::at(aim).unwrap(), 0, &mut told);
        told
    }

    proptest! {
        #[test]
        fn many_are_compared_as_one_is(
            width in prop_oneof![1_usize..400, Just(64), Just(256), Just(384)],
            bytes in proptest::collection::vec(any::<u8>(), 400..8_000),
        ) {
            let (aim, others) = bytes.split_at(width);
            let others: Vec<&[u8]> = others.chunks_exact(width).collect();
            prop_assume!(Aim::at(aim).is_some() && others.iter().all(|other| length(other) > 0.0));
            let expect: Vec<f32> = others.iter().map(|other| nearness(aim, other)).collect();
            prop_assert_eq!(all(aim, &others), expect.clone());
            let (mut directions, mut plain) = (Directions::new(width), vec![0.0; expect.len()]);
            prop_assert!(others.iter().all(|other| directions.add(other)));
            let (lines, lengths) = (&*directions.lines, &*directions.lengths);
            compare(&Aim::at(aim).unwrap(), &Others { lines, lengths }, &mut plain);
            prop_assert_eq!(plain, expect);
        }
    }

    #[test]
    fn the_largest_products_fit() {
        for (a, b, expect) in [(-128, -128, 1.0), (-128, 127, -1.0), (127, 127, 1.0)] {
            let [aim, other] = [a, b].map(|number| [i8::cast_unsigned(number); 256]);
            assert_eq!(all(&aim, &[&other[..]; 33]), [expect; 33]);
        }
    }

    #[test]
    fn those_that_stay_are_told_as_before() {
        let mut directions = Directions::new(2);
        for direction in [[1, 0], [0, 1], [3, 4]] {
            assert!(directions.add(&direction));
        }
        assert!(!directions.add(&[1, 2, 3]));
        directions.retain(|number| number != 1);
        let mut told = [0.0; 2];
        directions.nearness_to(&Aim::at(&[1, 0]).unwrap(), 0, &mut told);
        assert_eq!(told.to_vec(), [1.0, 0.6]);
        directions.nearness_to(&Aim::at(&[1]).unwrap(), 0, &mut told);
        assert_eq!(told.to_vec(), [0.0; 2]);
        assert!(Aim::at(&[0, 0]).is_none());
    }
}
