//! SHA-256, which identifies binary data in a digest.

const INITIAL_STATE: [u32; 8] = [
    0x6a09_e667,
    0xbb67_ae85,
    0x3c6e_f372,
    0xa54f_f53a,
    0x510e_527f,
    0x9b05_688c,
    0x1f83_d9ab,
    0x5be0_cd19,
];

#[rustfmt::skip]
const ROUND_CONSTANTS: [u32; 64] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
];

/// Hashes streamed bytes.
#[derive(Debug, Clone)]
pub(crate) struct Sha256 {
    state: [u32; 8],
    pending: Vec<u8>,
    bytes: u64,
}

impl Default for Sha256 {
    fn default() -> Self {
        Self { state: INITIAL_STATE, pending: Vec::new(), bytes: 0 }
    }
}

impl Sha256 {
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        self.pending.extend_from_slice(bytes);
        let pending = std::mem::take(&mut self.pending);
        let blocks = pending.chunks_exact(64);
        self.pending = blocks.remainder().to_vec();
        blocks.for_each(|block| self.compress(block));
    }

    /// Returns the first eight hexadecimal digits.
    pub(crate) fn short(mut self) -> String {
        let bits = self.bytes * 8;
        self.pending.push(0x80);
        while self.pending.len() % 64 != 56 {
            self.pending.push(0);
        }
        let mut last = std::mem::take(&mut self.pending);
        last.extend_from_slice(&bits.to_be_bytes());
        last.chunks_exact(64).for_each(|block| self.compress(block));
        format!("{:08x}", self.state[0])
    }

    fn compress(&mut self, block: &[u8]) {
        let mut words = [0_u32; 64];
        for (word, bytes) in words.iter_mut().zip(block.chunks_exact(4)) {
            *word = u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
        for at in 16..64 {
            let (early, late) = (words[at - 15], words[at - 2]);
            let low = early.rotate_right(7) ^ early.rotate_right(18) ^ (early >> 3);
            let high = late.rotate_right(17) ^ late.rotate_right(19) ^ (late >> 10);
            words[at] =
                words[at - 16].wrapping_add(low).wrapping_add(words[at - 7]).wrapping_add(high);
        }
        let mut work = self.state;
        for (word, constant) in words.iter().zip(ROUND_CONSTANTS) {
            work = round(work, word.wrapping_add(constant));
        }
        for (state, mixed) in self.state.iter_mut().zip(work) {
            *state = state.wrapping_add(mixed);
        }
    }
}

#[allow(clippy::many_single_char_names, reason = "the names of the standard")]
fn round([a, b, c, d, e, f, g, h]: [u32; 8], word: u32) -> [u32; 8] {
    let high = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
    let first = h.wrapping_add(high).wrapping_add((e & f) ^ (!e & g)).wrapping_add(word);
    let low = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
    let second = low.wrapping_add((a & b) ^ (a & c) ^ (b & c));
    [first.wrapping_add(second), a, b, c, d.wrapping_add(first), e, f, g]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_published_test_vectors() {
        assert_eq!(Sha256::default().short(), "e3b0c442");
        let mut hash = Sha256::default();
        b"abc".iter().for_each(|byte| hash.push(&[*byte]));
        assert_eq!(hash.short(), "ba7816bf");
        let mut hash = Sha256::default();
        hash.push(&vec![b'a'; 1_000_000]);
        assert_eq!(hash.short(), "cdc76e5c");
    }
}
