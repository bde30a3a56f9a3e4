//! Values in memory up to a bound in bytes; those that were not used for longest
//! make room.

use std::collections::HashMap;
use std::hash::Hash;

/// The values that were used last.
#[derive(Debug)]
pub(super) struct Memory<K, V> {
    most: usize,
    bytes: usize,
    /// Counts uses.
    time: u64,
    slots: HashMap<K, Slot<V>>,
    evictions: u64,
}

#[derive(Debug)]
struct Slot<V> {
    value: V,
    bytes: usize,
    used: u64,
}

impl<K: Copy + Eq + Hash, V: Clone> Memory<K, V> {
    pub fn new(most: usize) -> Self {
        Self {
            most,
            bytes: 0,
            time: 0,
            slots: HashMap::new(),
            evictions: 0,
        }
    }

    pub fn contains(&self, key: &K) -> bool {
        self.slots.contains_key(key)
    }

    /// The value, which has been used now. `size` measures it anew: what is shared
    /// may have grown.
    pub fn get(&mut self, key: &K, size: impl Fn(&V) -> usize) -> Option<V> {
        self.time += 1;
        let slot = self.slots.get_mut(key)?;
        slot.used = self.time;
        let value = slot.value.clone();
        let bytes = size(&value);
        self.bytes = self.bytes - slot.bytes + bytes;
        slot.bytes = bytes;
        self.make_room();
        Some(value)
    }

    /// Keeps a value, unless it is larger than all there may be.
    pub fn insert(&mut self, key: K, value: V, bytes: usize) {
        self.remove(&key);
        if bytes > self.most {
            return;
        }
        self.time += 1;
        self.bytes += bytes;
        let used = self.time;
        self.slots.insert(key, Slot { value, bytes, used });
        self.make_room();
    }

    fn remove(&mut self, key: &K) {
        if let Some(slot) = self.slots.remove(key) {
            self.bytes -= slot.bytes;
        }
    }

    fn make_room(&mut self) {
        while self.bytes > self.most {
            let oldest = self.slots.iter().min_by_key(|(_, slot)| slot.used);
            let Some(key) = oldest.map(|(&key, _)| key) else {
                return;
            };
            self.remove(&key);
            self.evictions += 1;
        }
    }

    pub fn len(&self) -> usize {
        self.slots.len()
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }

    pub fn evictions(&self) -> u64 {
        self.evictions
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(memory: &Memory<u8, usize>) -> Vec<u8> {
        let mut keys: Vec<u8> = memory.slots.keys().copied().collect();
        keys.sort_unstable();
        keys
    }

    #[test]
    fn what_was_not_used_for_longest_makes_room() {
        let mut memory = Memory::new(100);
        for key in 0..4 {
            memory.insert(key, 25, 25);
        }
        assert_eq!(memory.get(&0, |&size| size), Some(25));
        memory.insert(4, 30, 30);
        assert_eq!(held(&memory), [0, 3, 4]);
        assert_eq!((memory.bytes(), memory.evictions()), (80, 2));
    }

    #[test]
    fn the_bound_holds_whatever_is_kept() {
        let mut memory = Memory::new(1000);
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..2000 {
            let (key, size) = (random.u8(..40), random.usize(..1200));
            match random.bool() {
                true => memory.insert(key, size, size),
                false => drop(memory.get(&key, |_| size)),
            }
            let sum: usize = memory.slots.values().map(|slot| slot.bytes).sum();
            assert_eq!(memory.bytes(), sum);
            assert!(sum <= 1000, "{sum}");
        }
        assert!(memory.evictions() > 0 && memory.len() > 0);
    }

    #[test]
    fn what_is_too_large_is_not_kept_and_evicts_nothing() {
        let mut memory = Memory::new(10);
        memory.insert(1, 5, 5);
        memory.insert(2, 11, 11);
        assert_eq!(held(&memory), [1]);
    }
}
