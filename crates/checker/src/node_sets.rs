//! Sets of states, as bits in words: one for each of a row of nodes.

/// Sets of the cover's states, one for each node.
#[derive(Clone, Debug, Default)]
pub(crate) struct NodeSets {
    width: usize,
    bits: Vec<u64>,
}

impl NodeSets {
    pub fn of(width: usize, count: usize) -> Self {
        Self {
            width,
            bits: vec![0; width * count],
        }
    }

    pub fn words(&self) -> usize {
        self.bits.len()
    }

    pub fn add_row(&mut self) {
        self.bits.resize(self.bits.len() + self.width, 0);
    }

    pub fn row(&self, id: u32) -> &[u64] {
        &self.bits[id as usize * self.width..][..self.width]
    }

    pub fn row_mut(&mut self, id: u32) -> &mut [u64] {
        &mut self.bits[id as usize * self.width..][..self.width]
    }

    /// Leaves the sets that have a name, in the order of these, which is theirs.
    #[cfg(feature = "shortcuts")]
    pub fn keep(&mut self, names: &[u32]) {
        let mut kept = 0;
        for (id, &name) in names.iter().enumerate() {
            if name == kept as u32 {
                let from = id * self.width;
                self.bits
                    .copy_within(from..from + self.width, kept * self.width);
                kept += 1;
            }
        }
        self.bits.truncate(kept * self.width);
    }

    /// Adds one to another.
    pub fn join(&mut self, id: u32, more: u32) {
        for word in 0..self.width {
            self.bits[id as usize * self.width + word] |=
                self.bits[more as usize * self.width + word];
        }
    }
}

/// Adds a set to another; whether that has more then.
pub(crate) fn add(set: &mut [u64], more: &[u64]) -> bool {
    let mut fresh = 0;
    for (word, more) in set.iter_mut().zip(more) {
        fresh |= more & !*word;
        *word |= more;
    }
    fresh != 0
}

/// Adds what two sets share to another; whether that has more then.
pub(crate) fn add_shared(set: &mut [u64], a: &[u64], b: &[u64]) -> bool {
    let mut fresh = 0;
    for (word, (a, b)) in set.iter_mut().zip(a.iter().zip(b)) {
        fresh |= a & b & !*word;
        *word |= a & b;
    }
    fresh != 0
}

pub(crate) fn meet(a: &[u64], b: &[u64]) -> bool {
    a.iter().zip(b).fold(0, |any, (a, b)| any | a & b) != 0
}
