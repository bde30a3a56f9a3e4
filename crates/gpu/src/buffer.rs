//! Buffers that are counted and freed.

use crate::device::GpuDevice;
use crate::error::{GpuError, NoMemory};

/// A buffer of a device; its memory goes back when it is dropped, not when a garbage collector
/// comes to it.
pub(crate) struct GpuBuffer {
    device: GpuDevice,
    buffer: wgpu::Buffer,
    id: u64,
}

/// What buffers are for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// Shaders read and write it, the host writes it.
    Storage,
    /// The numbers of dispatches.
    Shapes,
    /// The host reads it.
    Readback,
    /// Timestamps are written to it.
    Timestamps,
}

/// The size of a buffer for so many bytes.
pub(crate) fn size_of(bytes: u64) -> u64 {
    bytes.max(16).next_multiple_of(16)
}

impl GpuBuffer {
    /// A buffer of at least `bytes`, zeroed.
    pub(crate) async fn new(
        device: &GpuDevice,
        label: &str,
        bytes: u64,
        purpose: Use,
    ) -> Result<Self, GpuError> {
        let size = size_of(bytes);
        let usage = match purpose {
            Use::Storage => {
                wgpu::BufferUsages::STORAGE
                    | wgpu::BufferUsages::COPY_DST
                    | wgpu::BufferUsages::COPY_SRC
            }
            Use::Shapes => wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            Use::Timestamps => wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC,
            Use::Readback => wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
        };
        let limits = device.info().limits;
        let allowed = match purpose {
            Use::Storage => limits.buffer.min(limits.binding),
            Use::Shapes | Use::Readback | Use::Timestamps => limits.buffer,
        };
        if size > allowed {
            return Err(GpuError::TooLarge {
                what: format!("the buffer for {label} (in bytes)"),
                needed: size,
                allowed,
            });
        }
        let allocated = device.live_bytes();
        let no_memory = |missing| {
            GpuError::OutOfMemory(NoMemory {
                what: label.to_owned(),
                needed: Some(size),
                missing,
                allocated,
                planned: None,
            })
        };
        if let Some(left) = device.memory_left().filter(|&left| size > left) {
            return Err(no_memory(Some(size - left)));
        }
        // Whole before the device is asked what it says: what is refused is destroyed then.
        let create = || Self {
            buffer: device.raw().create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size,
                usage,
                mapped_at_creation: false,
            }),
            id: device.count_bytes(size),
            device: device.clone(),
        };
        device.scoped(create).await.map_err(|error| match error {
            GpuError::OutOfMemory(_) => no_memory(None),
            other => other,
        })
    }

    /// A buffer of at least `bytes` that shaders read and write.
    pub(crate) async fn storage(
        device: &GpuDevice,
        label: &str,
        bytes: usize,
    ) -> Result<Self, GpuError> {
        Self::new(device, label, bytes as u64, Use::Storage).await
    }

    /// A buffer with these contents.
    pub(crate) async fn with_contents(
        device: &GpuDevice,
        label: &str,
        contents: &[u8],
    ) -> Result<Self, GpuError> {
        /// What is on its way to the card at once.
        const CHUNK: usize = 1 << 24;
        let buffer = Self::storage(device, label, contents.len()).await?;
        for (at, chunk) in contents.chunks(CHUNK).enumerate() {
            buffer.write((at * CHUNK) as u64, chunk);
            if contents.len() > CHUNK {
                // Lets go of the memory that the chunk travels in.
                device.queue().submit([]);
            }
        }
        Ok(buffer)
    }

    /// Writes before the next submission; lengths are multiples of four here.
    pub(crate) fn write(&self, offset: u64, contents: &[u8]) {
        self.device
            .queue()
            .write_buffer(&self.buffer, offset, contents);
    }

    pub(crate) fn raw(&self) -> &wgpu::Buffer {
        &self.buffer
    }

    /// Never the same for two buffers of a device.
    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    pub(crate) fn size(&self) -> u64 {
        self.buffer.size()
    }
}

impl Drop for GpuBuffer {
    fn drop(&mut self) {
        self.device.uncount_bytes(self.buffer.size());
        self.buffer.destroy();
    }
}
