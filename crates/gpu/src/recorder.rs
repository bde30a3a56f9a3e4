//! Dispatches, collected and then encoded into one pass.
//!
//! The shapes of all dispatches travel to the card in one write and stand in one buffer, each at
//! an offset of its own. Bind groups are kept from step to step: they depend only on the buffers.

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

/// Whether dispatches are timed, and where the times go: two timestamps each.
#[derive(Clone, Copy)]
pub(crate) enum Timing<'a> {
    /// One pass, not timed.
    None,
    /// One pass, timed as a whole.
    Whole(&'a wgpu::QuerySet),
    /// A pass for each dispatch.
    Each(&'a wgpu::QuerySet),
}

/// The dispatches of a step, in order.
pub(crate) struct Recorder<'a> {
    device: &'a GpuDevice,
    shapes: Vec<u8>,
    dispatches: Vec<Dispatch<'a>>,
}

impl<'a> Recorder<'a> {
    pub(crate) fn new(device: &'a GpuDevice) -> Self {
        Self {
            device,
            shapes: Vec::new(),
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
        self.shapes.extend_from_slice(bytemuck::bytes_of(&shape));
        self.shapes
            .resize(self.shapes.len().next_multiple_of(OFFSET), 0);
        self.dispatches.push(Dispatch {
            pipeline: self.device.pipeline(kernel)?,
            buffers: buffers.to_vec(),
            workgroups: [workgroups[0] as u32, workgroups[1] as u32, 1],
            cost,
            class: None,
        });
        Ok(())
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

    /// Writes the shapes and encodes the dispatches.
    pub(crate) async fn encode(
        &self,
        bindings: &mut Bindings,
        encoder: &mut wgpu::CommandEncoder,
        timing: Timing<'_>,
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
                let key = (dispatch.kernel().bindings(), ids);
                let make = || bind(self.device, shapes, dispatch);
                bindings.groups.entry(key).or_insert_with(make).clone()
            })
            .collect();
        let run = |pass: &mut wgpu::ComputePass<'_>, at: usize| {
            let dispatch = &self.dispatches[at];
            pass.set_pipeline(&dispatch.pipeline.pipeline);
            pass.set_bind_group(0, &groups[at], &[(at * OFFSET) as u32]);
            let [x, y, z] = dispatch.workgroups;
            pass.dispatch_workgroups(x, y, z);
        };
        let begin = |encoder: &mut wgpu::CommandEncoder, queries: Option<&wgpu::QuerySet>, at| {
            let timestamp_writes = queries.map(|query_set| wgpu::ComputePassTimestampWrites {
                query_set,
                beginning_of_pass_write_index: Some(2 * at as u32),
                end_of_pass_write_index: Some(2 * at as u32 + 1),
            });
            encoder
                .begin_compute_pass(&wgpu::ComputePassDescriptor {
                    label: None,
                    timestamp_writes,
                })
                .forget_lifetime()
        };
        match timing {
            Timing::Each(queries) => {
                (0..groups.len()).for_each(|at| run(&mut begin(encoder, Some(queries), at), at))
            }
            Timing::Whole(_) | Timing::None => {
                let queries = match timing {
                    Timing::Whole(queries) => Some(queries),
                    _ => None,
                };
                let mut pass = begin(encoder, queries, 0);
                (0..groups.len()).for_each(|at| run(&mut pass, at));
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

type GroupKey = (&'static [crate::kernel::Access], Vec<u64>);

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
        offset: 0,
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
