//! Dispatches, collected and then encoded into one pass.
//!
//! The shapes of all dispatches travel to the card in one write and stand in one buffer. Equal ones
//! stand there once: those of all blocks but the last, mostly. Bind groups are kept from step to
//! step: they depend only on the buffers and on where the shape stands. The offset is theirs and
//! not the dispatch's, since what is told with a dispatch reaches a browser as a view of this
//! module's memory, and some browsers take no view of memory that workers share there.

use crate::buffer::{GpuBuffer, Use};
use crate::device::GpuDevice;
use crate::error::GpuError;
use crate::kernel::Kernel;
use crate::pipelines::Pipeline;
use crate::shape::Shape;
use crate::tile::ProductClass;
use std::collections::HashMap;
use std::sync::Arc;

/// Offsets of uniform buffers are multiples of this on every adapter.
const OFFSET: usize = 256;

/// What a dispatch costs, for profiles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cost {
    /// Multiplications and additions.
    pub(crate) operations: u64,
    /// Bytes of weights and activations that must move at least once.
    pub(crate) bytes: u64,
}

/// A kernel with its buffers and the number of its workgroups.
pub(crate) struct Dispatch<'a> {
    pipeline: Arc<Pipeline>,
    buffers: Vec<&'a GpuBuffer>,
    /// Where its shape stands.
    offset: usize,
    workgroups: [u32; 3],
    pub(crate) cost: Cost,
    /// Of a matrix product, what its tile was chosen by.
    pub(crate) class: Option<ProductClass>,
}

impl Dispatch<'_> {
    pub(crate) fn kernel(&self) -> &Kernel {
        &self.pipeline.kernel
    }
}

/// The dispatches of a step, in order.
pub(crate) struct Recorder<'a> {
    device: &'a GpuDevice,
    shapes: Vec<u8>,
    /// Where each shape stands.
    offsets: HashMap<Vec<u8>, usize>,
    dispatches: Vec<Dispatch<'a>>,
}

impl<'a> Recorder<'a> {
    pub(crate) fn new(device: &'a GpuDevice) -> Self {
        Self {
            device,
            shapes: Vec::new(),
            offsets: HashMap::new(),
            dispatches: Vec::new(),
        }
    }

    /// Adds a dispatch; none of no workgroups.
    pub(crate) fn add<S: Shape>(
        &mut self,
        kernel: Kernel,
        shape: S,
        buffers: &[&'a GpuBuffer],
        workgroups: [usize; 2],
        cost: Cost,
    ) -> Result<(), GpuError> {
        debug_assert_eq!(buffers.len(), kernel.bindings().len());
        let most = self.device.info().limits.workgroups;
        if let Some(&too_many) = workgroups.iter().find(|&&count| count > most as usize) {
            return Err(GpuError::TooLarge {
                what: format!("{} (in workgroups)", kernel.name()),
                needed: too_many as u64,
                allowed: u64::from(most),
            });
        }
        if workgroups.contains(&0) {
            return Ok(());
        }
        let pipeline = self.device.pipeline(kernel)?;
        let offset = self.offset(bytemuck::bytes_of(&shape));
        self.dispatches.push(Dispatch {
            pipeline,
            buffers: buffers.to_vec(),
            offset,
            workgroups: [workgroups[0] as u32, workgroups[1] as u32, 1],
            cost,
            class: None,
        });
        Ok(())
    }

    /// Where this shape stands; it is added where it does not yet.
    fn offset(&mut self, shape: &[u8]) -> usize {
        let end = self.shapes.len();
        let offset = *self.offsets.entry(shape.to_vec()).or_insert(end);
        if offset == end {
            self.shapes.extend_from_slice(shape);
            self.shapes
                .resize(self.shapes.len().next_multiple_of(OFFSET), 0);
        }
        offset
    }

    /// Says of the last dispatch what its tile was chosen by.
    pub(crate) fn note_class(&mut self, class: ProductClass) {
        if let Some(dispatch) = self.dispatches.last_mut() {
            dispatch.class = Some(class);
        }
    }

    pub(crate) fn dispatches(&self) -> &[Dispatch<'a>] {
        &self.dispatches
    }

    /// All of them as one pass.
    pub(crate) fn as_one_pass(&self) -> Vec<Vec<usize>> {
        vec![(0..self.dispatches.len()).collect()]
    }

    /// Each in a pass of its own.
    pub(crate) fn one_by_one(&self) -> Vec<Vec<usize>> {
        (0..self.dispatches.len()).map(|at| vec![at]).collect()
    }

    /// Writes the shapes and encodes the dispatches at these places, pass by pass; with `queries`,
    /// each pass has two timestamps.
    pub(crate) async fn encode(
        &self,
        bindings: &mut Bindings,
        encoder: &mut wgpu::CommandEncoder,
        passes: &[Vec<usize>],
        queries: Option<&wgpu::QuerySet>,
    ) -> Result<(), GpuError> {
        bindings.make_room(self.device, self.shapes.len()).await?;
        let Some(shapes) = &bindings.shapes else {
            return Ok(());
        };
        shapes.write(0, &self.shapes);
        let groups: Vec<_> = self
            .dispatches
            .iter()
            .map(|dispatch| {
                let ids: Vec<u64> = dispatch.buffers.iter().map(|buffer| buffer.id()).collect();
                let key = (dispatch.kernel().bindings(), ids, dispatch.offset);
                let make = || bind(self.device, shapes, dispatch);
                bindings.groups.entry(key).or_insert_with(make).clone()
            })
            .collect();
        for (number, places) in (0..).zip(passes) {
            let timestamp_writes = queries.map(|query_set| wgpu::ComputePassTimestampWrites {
                query_set,
                beginning_of_pass_write_index: Some(2 * number),
                end_of_pass_write_index: Some(2 * number + 1),
            });
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                label: None,
                timestamp_writes,
            });
            for &at in places {
                let dispatch = &self.dispatches[at];
                pass.set_pipeline(&dispatch.pipeline.pipeline);
                pass.set_bind_group(0, &groups[at], &[]);
                let [x, y, z] = dispatch.workgroups;
                pass.dispatch_workgroups(x, y, z);
            }
        }
        Ok(())
    }
}

/// What is kept from step to step.
#[derive(Default)]
pub(crate) struct Bindings {
    shapes: Option<GpuBuffer>,
    groups: HashMap<GroupKey, wgpu::BindGroup>,
}

/// What is bound: the kinds of buffers, the buffers, and the shape's offset.
type GroupKey = (&'static [crate::kernel::Access], Vec<u64>, usize);

impl Bindings {
    /// To be called when buffers have been replaced.
    pub(crate) fn forget(&mut self) {
        self.groups.clear();
    }

    async fn make_room(&mut self, device: &GpuDevice, bytes: usize) -> Result<(), GpuError> {
        let bytes = bytes as u64;
        if self
            .shapes
            .as_ref()
            .is_none_or(|shapes| shapes.size() < bytes)
        {
            self.forget();
            self.shapes = None;
            let size = bytes.next_power_of_two().max(1 << 14);
            self.shapes = Some(GpuBuffer::new(device, "shapes", size, Use::Shapes).await?);
        }
        Ok(())
    }
}

fn bind(device: &GpuDevice, shapes: &GpuBuffer, dispatch: &Dispatch<'_>) -> wgpu::BindGroup {
    let layout = device.bind_group_layout(dispatch.kernel().bindings());
    let shape = wgpu::BindingResource::Buffer(wgpu::BufferBinding {
        buffer: shapes.raw(),
        offset: dispatch.offset as u64,
        size: wgpu::BufferSize::new(OFFSET as u64),
    });
    let buffers = dispatch.buffers.iter();
    let resources = std::iter::once(shape)
        .chain(buffers.map(|buffer| buffer.raw().as_entire_binding()))
        .zip(0..);
    device.raw().create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &layout,
        entries: &resources
            .map(|(resource, binding)| wgpu::BindGroupEntry { binding, resource })
            .collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::for_tests;
    use crate::readback::read;
    use crate::shape::IdleShape;

    #[test]
    fn each_shape_has_a_group_and_equal_ones_share_it() {
        let Some(device) = for_tests() else { return };
        let work = async {
            let result = GpuBuffer::storage(&device, "result", 16).await?;
            let readback = GpuBuffer::new(&device, "readback", 16, Use::Readback).await?;
            let mut bindings = Bindings::default();
            let mut sums = Vec::new();
            for _ in 0..2 {
                let mut recorder = Recorder::new(&device);
                for addend in [1.0, 20.0, 1.0] {
                    let (shape, cost) = (IdleShape { addend }, Cost::default());
                    recorder.add(Kernel::Idle, shape, &[&result], [1, 1], cost)?;
                }
                let words = read(&device, &recorder, &mut bindings, &result, &readback, 1).await?;
                sums.push(f32::from_bits(words[0]));
            }
            Ok::<_, GpuError>((sums, bindings.groups.len()))
        };
        let (sums, groups) = pollster::block_on(work).expect("an answer");
        assert_eq!(sums, [22.0, 44.0]);
        assert_eq!(groups, 2);
    }
}
