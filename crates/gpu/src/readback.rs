//! Running what was recorded, and bringing words back.

use crate::buffer::GpuBuffer;
use crate::device::GpuDevice;
use crate::error::GpuError;
use crate::recorder::{Bindings, Recorder};

/// Runs what was recorded and brings the first `words` of `from` back.
pub(crate) async fn read(
    device: &GpuDevice,
    recorder: &Recorder<'_>,
    bindings: &mut Bindings,
    from: &GpuBuffer,
    readback: &GpuBuffer,
    words: usize,
) -> Result<Vec<u32>, GpuError> {
    device.check()?;
    let mut encoder = device
        .raw()
        .create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    recorder
        .encode(bindings, &mut encoder, &recorder.as_one_pass(), None)
        .await?;
    let bytes = 4 * words as u64;
    encoder.copy_buffer_to_buffer(from.raw(), 0, readback.raw(), 0, bytes);
    take(device, encoder, readback, bytes).await
}

/// Submits, waits, and takes the first `bytes` of `readback`.
pub(crate) async fn take<T: bytemuck::Pod>(
    device: &GpuDevice,
    encoder: wgpu::CommandEncoder,
    readback: &GpuBuffer,
    bytes: u64,
) -> Result<Vec<T>, GpuError> {
    let slice = readback.raw().slice(..bytes);
    let _mapping = Mapping(readback.raw());
    device.finish(encoder.finish(), slice).await?;
    match slice.get_mapped_range() {
        Ok(view) => Ok(bytemuck::pod_collect_to_vec(&view)),
        Err(error) => Err(GpuError::Validation {
            message: error.to_string(),
        }),
    }
}

/// Ends a mapping, also when whoever waited for it gave up.
struct Mapping<'a>(&'a wgpu::Buffer);

impl Drop for Mapping<'_> {
    fn drop(&mut self) {
        self.0.unmap();
    }
}
