//! Cosine similarity of blocks of vectors to a few queries, with the widest SIMD registers available.

use super::matrix::{BLOCKS_PER_TILE, Blocks, LANES, QueryVector};

/// Similarities of the vectors of one tile to a query.
type Similarities = [[f32; LANES]; BLOCKS_PER_TILE];

/// Writes the similarity of each vector to each query. All have one dimension, and there are at most
/// [`BLOCKS_PER_TILE`] blocks.
pub(super) fn compare(
    queries: &[&QueryVector],
    blocks: &Blocks<'_>,
    similarities: &mut [Similarities],
) {
    #[cfg(target_arch = "x86_64")]
    if simd::compare(queries, blocks, similarities) {
        return;
    }
    for (query, similarities) in queries.iter().zip(similarities) {
        compare_scalar(query, blocks, similarities);
    }
}

#[allow(
    clippy::needless_range_loop,
    reason = "indexing lets the compiler vectorize the sixteen lanes"
)]
fn compare_scalar(query: &QueryVector, blocks: &Blocks<'_>, similarities: &mut Similarities) {
    let lines = blocks.lines.chunks(query.quads.len());
    for ((lines, norms), similarities) in lines.zip(blocks.norms).zip(similarities) {
        let mut products = [-query.bias; LANES];
        for (line, quad) in lines.iter().zip(&query.quads) {
            let query_bytes = quad.map(|byte| i32::from(byte.cast_signed()));
            let (vector_bytes, _) = line.0.as_chunks();
            for at in 0..LANES {
                let vector_quad = u32::from_le_bytes(vector_bytes[at]);
                let byte = |number: u32| (vector_quad >> (8 * number) & 0xff).cast_signed();
                products[at] += query_bytes[0] * byte(0)
                    + query_bytes[1] * byte(1)
                    + query_bytes[2] * byte(2)
                    + query_bytes[3] * byte(3);
            }
        }
        for at in 0..LANES {
            similarities[at] = products[at] as f32 / (query.norm * norms[at]);
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[allow(
    clippy::needless_range_loop,
    reason = "closures of iterator adapters do not inherit target features"
)]
mod simd {
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

    use super::super::matrix::{Blocks, LANES, Line, QueryVector};
    use super::Similarities;

    /// Queries multiplied with each line that is loaded.
    const QUERIES: usize = 4;
    /// Blocks accumulated in turn, to hide the latency of the multiply-add within the register file.
    const BLOCKS: usize = 4;
    const BLOCKS_SINGLE_QUERY: usize = 8;

    /// Returns false if the processor has neither VNNI nor AVX2.
    #[expect(unsafe_code, reason = "guarded by is_x86_feature_detected!")]
    pub(super) fn compare(
        queries: &[&QueryVector],
        blocks: &Blocks<'_>,
        similarities: &mut [Similarities],
    ) -> bool {
        if has!("avx512f") && has!("avx512vnni") {
            unsafe { compare_vnni(queries, blocks, similarities) };
            return true;
        }
        if has!("avx2") {
            unsafe { compare_avx2(queries, blocks, similarities) };
            return true;
        }
        false
    }

    /// Four-byte dot products (AVX-512 VNNI).
    #[target_feature(enable = "avx512f,avx512vnni")]
    pub(super) fn compare_vnni(
        queries: &[&QueryVector],
        blocks: &Blocks<'_>,
        similarities: &mut [Similarities],
    ) {
        let (some, left) = queries.as_chunks::<QUERIES>();
        let (to_some, to_left) = similarities.split_at_mut(some.len() * QUERIES);
        for (queries, similarities) in some.iter().zip(to_some.as_chunks_mut().0) {
            compare_queries::<QUERIES, BLOCKS>(queries, blocks, similarities);
        }
        for (query, similarities) in left.iter().zip(to_left) {
            compare_queries::<1, BLOCKS_SINGLE_QUERY>(
                &[query],
                blocks,
                array::from_mut(similarities),
            );
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512vnni")]
    fn compare_queries<const QUERIES: usize, const BLOCKS: usize>(
        queries: &[&QueryVector; QUERIES],
        blocks: &Blocks<'_>,
        similarities: &mut [Similarities; QUERIES],
    ) {
        let count = blocks.norms.len();
        let whole = count - count % BLOCKS;
        for first in (0..whole).step_by(BLOCKS) {
            compare_blocks::<QUERIES, BLOCKS>(queries, blocks, first, similarities);
        }
        for first in whole..count {
            compare_blocks::<QUERIES, 1>(queries, blocks, first, similarities);
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512vnni")]
    fn compare_blocks<const QUERIES: usize, const BLOCKS: usize>(
        queries: &[&QueryVector; QUERIES],
        blocks: &Blocks<'_>,
        first: usize,
        similarities: &mut [Similarities; QUERIES],
    ) {
        let mut sums = [[_mm512_set1_epi32(0); BLOCKS]; QUERIES];
        for query in 0..QUERIES {
            sums[query] = [_mm512_set1_epi32(-queries[query].bias); BLOCKS];
        }
        let each = queries[0].quads.len();
        let lines = &blocks.lines[first * each..(first + BLOCKS) * each];
        for at in 0..each {
            for block in 0..BLOCKS {
                let vector_bytes = load(&lines[block * each + at]);
                for query in 0..QUERIES {
                    let query_bytes =
                        _mm512_set1_epi32(i32::from_le_bytes(queries[query].quads[at]));
                    sums[query][block] =
                        _mm512_dpbusd_epi32(sums[query][block], vector_bytes, query_bytes);
                }
            }
        }
        for query in 0..QUERIES {
            for block in 0..BLOCKS {
                let norms = load_norms(&blocks.norms[first + block]);
                let norms = _mm512_mul_ps(_mm512_set1_ps(queries[query].norm), norms);
                let similarity = _mm512_div_ps(_mm512_cvtepi32_ps(sums[query][block]), norms);
                store(similarity, &mut similarities[query][first + block]);
            }
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn load(line: &Line) -> __m512i {
        #[expect(unsafe_code, reason = "a line has the size and alignment of the register")]
        unsafe {
            _mm512_load_si512(line.0.as_ptr().cast())
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn load_norms(norms: &[f32; LANES]) -> __m512 {
        #[expect(unsafe_code, reason = "the array has the size of the register")]
        unsafe {
            _mm512_loadu_ps(norms.as_ptr())
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn store(numbers: __m512, places: &mut [f32; LANES]) {
        #[expect(unsafe_code, reason = "the array has the size of the register")]
        unsafe {
            _mm512_storeu_ps(places.as_mut_ptr(), numbers);
        }
    }

    /// Lanes of a 256-bit register.
    const HALF: usize = LANES / 2;

    /// Widens even and odd bytes to 16 bits and multiply-adds pairs (AVX2).
    #[target_feature(enable = "avx2")]
    pub(super) fn compare_avx2(
        queries: &[&QueryVector],
        blocks: &Blocks<'_>,
        similarities: &mut [Similarities],
    ) {
        for (query, similarities) in queries.iter().zip(similarities) {
            let each = query.quads.len();
            for block in 0..blocks.norms.len() {
                let lines = &blocks.lines[block * each..(block + 1) * each];
                let (norms, _) = blocks.norms[block].as_chunks();
                let (similarities, _) = similarities[block].as_chunks_mut();
                let products = products_of_halves(query, lines);
                for half in 0..products.len() {
                    let norms = load_half_norms(&norms[half]);
                    let norms = _mm256_mul_ps(_mm256_set1_ps(query.norm), norms);
                    let similarity = _mm256_div_ps(_mm256_cvtepi32_ps(products[half]), norms);
                    store_half(similarity, &mut similarities[half]);
                }
            }
        }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn products_of_halves(query: &QueryVector, lines: &[Line]) -> [__m256i; 2] {
        let mut sums = [_mm256_set1_epi32(-query.bias); 2];
        let low = _mm256_set1_epi16(0xff);
        for at in 0..lines.len() {
            let query_bytes = _mm256_set1_epi32(i32::from_le_bytes(query.quads[at]));
            let (odd, even) = (
                _mm256_srai_epi16::<8>(query_bytes),
                _mm256_srai_epi16::<8>(_mm256_slli_epi16::<8>(query_bytes)),
            );
            let (halves, _) = lines[at].0.as_chunks();
            for half in 0..sums.len() {
                let vector_bytes = load_half(&halves[half]);
                let even_products = _mm256_madd_epi16(_mm256_and_si256(vector_bytes, low), even);
                let odd_products = _mm256_madd_epi16(_mm256_srli_epi16::<8>(vector_bytes), odd);
                let both = _mm256_add_epi32(even_products, odd_products);
                sums[half] = _mm256_add_epi32(sums[half], both);
            }
        }
        sums
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn load_half(line: &[u8; 4 * HALF]) -> __m256i {
        #[expect(unsafe_code, reason = "the array has the size of the register")]
        unsafe {
            _mm256_loadu_si256(line.as_ptr().cast())
        }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn load_half_norms(norms: &[f32; HALF]) -> __m256 {
        #[expect(unsafe_code, reason = "the array has the size of the register")]
        unsafe {
            _mm256_loadu_ps(norms.as_ptr())
        }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn store_half(numbers: __m256, places: &mut [f32; HALF]) {
        #[expect(unsafe_code, reason = "the array has the size of the register")]
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

    type Implementation = unsafe fn(&[&QueryVector], &Blocks<'_>, &mut [Similarities]);

    /// The implementations this processor supports.
    fn implementations() -> Vec<Implementation> {
        let mut implementations: Vec<Implementation> = Vec::new();
        if has!("avx2") {
            implementations.push(simd::compare_avx2);
        }
        if has!("avx512f") && has!("avx512vnni") {
            implementations.push(simd::compare_vnni);
        }
        implementations
    }

    proptest! {
        #[test]
        fn implementations_agree(
            width in 1_usize..300,
            queries in 1_usize..10,
            norms in vec(any::<[u8; LANES]>(), 1..=BLOCKS_PER_TILE),
            bytes in vec(any::<u8>(), 3_000),
        ) {
            let queries: Vec<QueryVector> = bytes.chunks_exact(width).take(queries).filter_map(QueryVector::new).collect();
            let queries: Vec<&QueryVector> = queries.iter().collect();
            let line = |number: usize| Line(std::array::from_fn(|at| bytes[(7 * number + at) % bytes.len()]));
            let lines: Vec<Line> = (0..norms.len() * width.div_ceil(4)).map(line).collect();
            let norms: Vec<_> = norms.iter().map(|each| each.map(|norm| f32::from(norm) + 1.0)).collect();
            let blocks = Blocks { lines: &lines, norms: &norms };
            let mut plain = vec![[[0.0; LANES]; BLOCKS_PER_TILE]; queries.len()];
            for (query, similarities) in queries.iter().zip(&mut plain) {
                compare_scalar(query, &blocks, similarities);
            }
            for implementation in implementations() {
                let mut found = vec![[[0.0; LANES]; BLOCKS_PER_TILE]; queries.len()];
                #[expect(unsafe_code, reason = "guarded by is_x86_feature_detected!")]
                unsafe { implementation(&queries, &blocks, &mut found) };
                prop_assert_eq!(&found, &plain);
            }
        }
    }
}
