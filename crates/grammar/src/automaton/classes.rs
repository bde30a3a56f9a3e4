//! Bytes that no transition tells apart.

/// Cuts the bytes wherever one of `ranges` (inclusive) begins or ends: the class
/// of each byte, and the first byte of each class. Classes are runs of
/// neighbouring bytes, so a range of bytes is a range of classes.
pub fn byte_classes(ranges: &mut dyn Iterator<Item = (u8, u8)>) -> (Box<[u8; 256]>, Vec<u8>) {
    let mut cut = [false; 257];
    cut[0] = true;
    for (low, high) in ranges {
        cut[low as usize] = true;
        cut[high as usize + 1] = true;
    }
    let mut classes = Box::new([0u8; 256]);
    let mut first_bytes = Vec::new();
    for byte in 0..256 {
        if cut[byte] {
            first_bytes.push(byte as u8);
        }
        classes[byte] = (first_bytes.len() - 1) as u8;
    }
    (classes, first_bytes)
}
