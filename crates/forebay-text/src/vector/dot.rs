//! How near blocks of directions are to a few aims, by the widest registers that the processor has.

use super::matrix::{AT_HAND, Aim, Blocks, TOGETHER};

/// How near the directions of some blocks are to an aim.
type Nearness = [[f32; TOGETHER]; AT_HAND];

/// Writes how near they are to each aim. All are of one width, and there are no more blocks than places for them.
pub(super) fn to_each(aims: &[&Aim], blocks: &Blocks<'_>, nearness: &mut [Nearness]) {
    #[cfg(target_arch = "x86_64")]
    if wide::to_each(aims, blocks, nearness) {
        return;
    }
    for (aim, nearness) in aims.iter().zip(nearness) {
        to_one(aim, blocks, nearness);
    }
}

#[allow(clippy::needless_range_loop, reason = "so all sixteen are added to at once")]
fn to_one(aim: &Aim, blocks: &Blocks<'_>, nearness: &mut Nearness) {
    let lines = blocks.lines.chunks(aim.parts.len());
    for ((lines, lengths), nearness) in lines.zip(blocks.lengths).zip(nearness) {
        let mut products = [-aim.added; TOGETHER];
        for (line, part) in lines.iter().zip(&aim.parts) {
            let own = part.map(|byte| i32::from(byte.cast_signed()));
            let (others, _) = line.0.as_chunks();
            for at in 0..TOGETHER {
                let other = u32::from_le_bytes(others[at]);
                let byte = |number: u32| (other >> (8 * number) & 0xff).cast_signed();
                products[at] +=
                    own[0] * byte(0) + own[1] * byte(1) + own[2] * byte(2) + own[3] * byte(3);
            }
        }
        for at in 0..TOGETHER {
            nearness[at] = products[at] as f32 / (aim.length * lengths[at]);
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[allow(clippy::needless_range_loop, reason = "an adapter of iterators is a function of its own")]
mod wide {
    use std::arch::is_x86_feature_detected as has;
    use std::arch::x86_64::{
        __m256, __m256i, __m512, __m512i, _mm256_add_epi32, _mm256_and_si256, _mm256_cvtepi32_ps,
        _mm256_div_ps, _mm256_loadu_ps, _mm256_loadu_si256, _mm256_madd_epi16, _mm256_mul_ps,
        _mm256_set1_epi16, _mm256_set1_epi32, _mm256_set1_ps, _mm256_slli_epi16, _mm256_srai_epi16,
        _mm256_srli_epi16, _mm256_storeu_ps, _mm512_cvtepi32_ps, _mm512_div_ps,
        _mm512_dpbusd_epi32, _mm512_load_si512, _mm512_loadu_ps, _mm512_mul_ps, _mm512_set1_epi32,
        _mm512_set1_ps, _mm512_storeu_ps,
    };
    use std::array;

    use super::super::matrix::{Aim, Blocks, Line, TOGETHER};
    use super::Nearness;

    /// Aims that are multiplied by what is read once.
    const AIMS: usize = 4;
    /// Blocks whose sums are added to in turn: an addition takes as long as several begin, and registers are few.
    const BLOCKS: usize = 4;
    const BLOCKS_OF_ONE: usize = 8;

    /// Does it if the processor has registers for it.
    #[expect(unsafe_code, reason = "the processor was asked for what the functions need")]
    pub(super) fn to_each(aims: &[&Aim], blocks: &Blocks<'_>, nearness: &mut [Nearness]) -> bool {
        if has!("avx512f") && has!("avx512vnni") {
            unsafe { by_four_bytes(aims, blocks, nearness) };
            return true;
        }
        if has!("avx2") {
            unsafe { by_two_words(aims, blocks, nearness) };
            return true;
        }
        false
    }

    /// Multiplies four bytes each and adds them up at once.
    #[target_feature(enable = "avx512f,avx512vnni")]
    pub(super) fn by_four_bytes(aims: &[&Aim], blocks: &Blocks<'_>, nearness: &mut [Nearness]) {
        let (some, left) = aims.as_chunks::<AIMS>();
        let (to_some, to_left) = nearness.split_at_mut(some.len() * AIMS);
        for (aims, nearness) in some.iter().zip(to_some.as_chunks_mut().0) {
            to_some_aims::<AIMS, BLOCKS>(aims, blocks, nearness);
        }
        for (aim, nearness) in left.iter().zip(to_left) {
            to_some_aims::<1, BLOCKS_OF_ONE>(&[aim], blocks, array::from_mut(nearness));
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512vnni")]
    fn to_some_aims<const AIMS: usize, const BLOCKS: usize>(
        aims: &[&Aim; AIMS],
        blocks: &Blocks<'_>,
        nearness: &mut [Nearness; AIMS],
    ) {
        let count = blocks.lengths.len();
        let whole = count - count % BLOCKS;
        for first in (0..whole).step_by(BLOCKS) {
            of_some_blocks::<AIMS, BLOCKS>(aims, blocks, first, nearness);
        }
        for first in whole..count {
            of_some_blocks::<AIMS, 1>(aims, blocks, first, nearness);
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512vnni")]
    fn of_some_blocks<const AIMS: usize, const BLOCKS: usize>(
        aims: &[&Aim; AIMS],
        blocks: &Blocks<'_>,
        first: usize,
        nearness: &mut [Nearness; AIMS],
    ) {
        let mut sums = [[_mm512_set1_epi32(0); BLOCKS]; AIMS];
        for aim in 0..AIMS {
            sums[aim] = [_mm512_set1_epi32(-aims[aim].added); BLOCKS];
        }
        let each = aims[0].parts.len();
        let lines = &blocks.lines[first * each..(first + BLOCKS) * each];
        for at in 0..each {
            for block in 0..BLOCKS {
                let others = load(&lines[block * each + at]);
                for aim in 0..AIMS {
                    let own = _mm512_set1_epi32(i32::from_le_bytes(aims[aim].parts[at]));
                    sums[aim][block] = _mm512_dpbusd_epi32(sums[aim][block], others, own);
                }
            }
        }
        for aim in 0..AIMS {
            for block in 0..BLOCKS {
                let lengths = load_lengths(&blocks.lengths[first + block]);
                let lengths = _mm512_mul_ps(_mm512_set1_ps(aims[aim].length), lengths);
                let near = _mm512_div_ps(_mm512_cvtepi32_ps(sums[aim][block]), lengths);
                store(near, &mut nearness[aim][first + block]);
            }
        }
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

    /// What a register of half the width holds.
    const HALF: usize = TOGETHER / 2;

    /// Makes words of bytes, every other at once, and multiplies two words each and adds them up.
    #[target_feature(enable = "avx2")]
    pub(super) fn by_two_words(aims: &[&Aim], blocks: &Blocks<'_>, nearness: &mut [Nearness]) {
        for (aim, nearness) in aims.iter().zip(nearness) {
            let each = aim.parts.len();
            for block in 0..blocks.lengths.len() {
                let lines = &blocks.lines[block * each..(block + 1) * each];
                let (lengths, _) = blocks.lengths[block].as_chunks();
                let (nearness, _) = nearness[block].as_chunks_mut();
                let products = products_of_halves(aim, lines);
                for half in 0..products.len() {
                    let lengths = load_half_lengths(&lengths[half]);
                    let lengths = _mm256_mul_ps(_mm256_set1_ps(aim.length), lengths);
                    let near = _mm256_div_ps(_mm256_cvtepi32_ps(products[half]), lengths);
                    store_half(near, &mut nearness[half]);
                }
            }
        }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn products_of_halves(aim: &Aim, lines: &[Line]) -> [__m256i; 2] {
        let mut sums = [_mm256_set1_epi32(-aim.added); 2];
        let low = _mm256_set1_epi16(0xff);
        for at in 0..lines.len() {
            let own = _mm256_set1_epi32(i32::from_le_bytes(aim.parts[at]));
            let (odd, even) =
                (_mm256_srai_epi16::<8>(own), _mm256_srai_epi16::<8>(_mm256_slli_epi16::<8>(own)));
            let (halves, _) = lines[at].0.as_chunks();
            for half in 0..sums.len() {
                let others = load_half(&halves[half]);
                let of_even = _mm256_madd_epi16(_mm256_and_si256(others, low), even);
                let of_odd = _mm256_madd_epi16(_mm256_srli_epi16::<8>(others), odd);
                let both = _mm256_add_epi32(of_even, of_odd);
                sums[half] = _mm256_add_epi32(sums[half], both);
            }
        }
        sums
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn load_half(line: &[u8; 4 * HALF]) -> __m256i {
        #[expect(unsafe_code, reason = "it is as long as a register")]
        unsafe {
            _mm256_loadu_si256(line.as_ptr().cast())
        }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn load_half_lengths(lengths: &[f32; HALF]) -> __m256 {
        #[expect(unsafe_code, reason = "as many are there as are read")]
        unsafe {
            _mm256_loadu_ps(lengths.as_ptr())
        }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn store_half(numbers: __m256, places: &mut [f32; HALF]) {
        #[expect(unsafe_code, reason = "there is room for as many as are written")]
        unsafe {
            _mm256_storeu_ps(places.as_mut_ptr(), numbers);
        }
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use std::arch::is_x86_feature_detected as has;

    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::super::matrix::Line;
    use super::*;

    type Way = unsafe fn(&[&Aim], &Blocks<'_>, &mut [Nearness]);

    /// Those that this processor has.
    fn ways() -> Vec<Way> {
        let mut ways: Vec<Way> = Vec::new();
        if has!("avx2") {
            ways.push(wide::by_two_words);
        }
        if has!("avx512f") && has!("avx512vnni") {
            ways.push(wide::by_four_bytes);
        }
        ways
    }

    proptest! {
        #[test]
        fn every_way_tells_the_same(
            width in 1_usize..300,
            aims in 1_usize..10,
            lengths in vec(any::<[u8; TOGETHER]>(), 1..=AT_HAND),
            bytes in vec(any::<u8>(), 3_000),
        ) {
            let aims: Vec<Aim> = bytes.chunks_exact(width).take(aims).filter_map(Aim::at).collect();
            let aims: Vec<&Aim> = aims.iter().collect();
            let line = |number: usize| Line(std::array::from_fn(|at| bytes[(7 * number + at) % bytes.len()]));
            let lines: Vec<Line> = (0..lengths.len() * width.div_ceil(4)).map(line).collect();
            let lengths: Vec<_> = lengths.iter().map(|each| each.map(|length| f32::from(length) + 1.0)).collect();
            let blocks = Blocks { lines: &lines, lengths: &lengths };
            let mut plain = vec![[[0.0; TOGETHER]; AT_HAND]; aims.len()];
            for (aim, nearness) in aims.iter().zip(&mut plain) {
                to_one(aim, &blocks, nearness);
            }
            for way in ways() {
                let mut told = vec![[[0.0; TOGETHER]; AT_HAND]; aims.len()];
                #[expect(unsafe_code, reason = "the processor was asked")]
                unsafe { way(&aims, &blocks, &mut told) };
                prop_assert_eq!(&told, &plain);
            }
        }
    }
}
