//! Lists of several owners, one behind the other in one list.

/// What belongs to each of so many owners.
#[derive(Clone, Debug)]
pub struct Grouped<T> {
    /// Where the parts of each owner end, behind a zero.
    ends: Vec<u32>,
    members: Vec<T>,
}

impl<T: Copy> Grouped<T> {
    /// Of items with the numbers of their owners, which are below `count`. Those of one
    /// owner stay in order.
    pub(super) fn new(count: usize, items: &[(u32, T)]) -> Self {
        let mut ends = vec![0; count + 1];
        for &(owner, _) in items {
            ends[owner as usize + 1] += 1;
        }
        for owner in 0..count {
            ends[owner + 1] += ends[owner];
        }
        let mut next = ends.clone();
        // Each place is written over.
        let mut members: Vec<T> = items.iter().map(|&(_, item)| item).collect();
        for &(owner, item) in items {
            let place = &mut next[owner as usize];
            members[*place as usize] = item;
            *place += 1;
        }
        Self { ends, members }
    }

    /// What belongs to one.
    pub fn of(&self, owner: u32) -> &[T] {
        &self.members[self.ends[owner as usize] as usize..self.ends[owner as usize + 1] as usize]
    }

    /// What belongs to each, in order.
    pub fn each(&self) -> impl Iterator<Item = &[T]> {
        (0..self.ends.len() as u32 - 1).map(|owner| self.of(owner))
    }

    /// All of it.
    pub fn all(&self) -> &[T] {
        &self.members
    }

    /// Number of owners.
    pub fn owners(&self) -> usize {
        self.ends.len() - 1
    }

    /// Bytes of memory that the lists take, closely.
    pub fn heap_bytes(&self) -> usize {
        size_of_val(self.ends.as_slice()) + size_of_val(self.members.as_slice())
    }
}

impl<T> Default for Grouped<T> {
    fn default() -> Self {
        Self {
            ends: vec![0],
            members: Vec::new(),
        }
    }
}

impl<T> Grouped<T> {
    /// Adds an owner with what belongs to it.
    pub fn add(&mut self, members: impl IntoIterator<Item = T>) {
        self.members.extend(members);
        self.close();
    }

    /// The list of all, to push what belongs to the owner that is not yet closed.
    pub(super) fn open(&mut self) -> &mut Vec<T> {
        &mut self.members
    }

    /// Ends what belongs to the open owner; what is added next belongs to another.
    pub(super) fn close(&mut self) {
        self.ends.push(self.members.len() as u32);
    }
}
