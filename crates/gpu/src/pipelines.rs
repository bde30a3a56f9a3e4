//! Compiled kernels, one of each for a device.

use crate::error::GpuError;
use crate::kernel::{Access, Kernel};
use std::collections::HashMap;
use std::sync::Arc;

/// A compiled kernel.
pub(crate) struct Pipeline {
    pub(crate) kernel: Kernel,
    pub(crate) pipeline: wgpu::ComputePipeline,
}

/// What has been compiled so far.
#[derive(Default)]
pub(crate) struct Pipelines {
    compiled: HashMap<Kernel, Arc<Pipeline>>,
    layouts: HashMap<&'static [Access], wgpu::BindGroupLayout>,
}

impl Pipelines {
    pub(crate) fn get(
        &mut self,
        device: &wgpu::Device,
        kernel: Kernel,
    ) -> Result<Arc<Pipeline>, GpuError> {
        if let Some(pipeline) = self.compiled.get(&kernel) {
            return Ok(Arc::clone(pipeline));
        }
        let name = kernel.name();
        let source = match cfg!(target_arch = "wasm32") {
            true => kernel.source(),
            false => kernel.naga_source(),
        };
        let source = source.map_err(|error| GpuError::Shader {
            name: name.clone(),
            error,
        })?;
        let descriptor = wgpu::ShaderModuleDescriptor {
            label: Some(&name),
            source: wgpu::ShaderSource::Wgsl(source.into()),
        };
        let checks = wgpu::ShaderRuntimeChecks::unchecked();
        // SAFETY: the shaders are this crate's own. Their indices are bounded by shapes that the
        // host computes from the sizes of the buffers it binds, ids are compared with the
        // vocabulary before they are uploaded, and their loops end. A browser checks all the
        // same. The kernels' tests run every one of them at the edges of its shapes.
        let module = unsafe { device.create_shader_module_trusted(descriptor, checks) };
        let bindings = self.bind_group_layout(device, kernel.bindings());
        let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &[Some(&bindings)],
            immediate_size: 0,
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(&name),
            layout: Some(&layout),
            module: &module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions {
                // Every kernel writes its workgroup memory before it reads it.
                zero_initialize_workgroup_memory: false,
                ..Default::default()
            },
            cache: None,
        });
        let pipeline = Arc::new(Pipeline { kernel, pipeline });
        self.compiled.insert(kernel, Arc::clone(&pipeline));
        Ok(pipeline)
    }

    /// The shape first, then the kernel's buffers.
    pub(crate) fn bind_group_layout(
        &mut self,
        device: &wgpu::Device,
        bindings: &'static [Access],
    ) -> wgpu::BindGroupLayout {
        let make = || {
            let entry = |binding, ty| wgpu::BindGroupLayoutEntry {
                binding,
                visibility: wgpu::ShaderStages::COMPUTE,
                ty: wgpu::BindingType::Buffer {
                    ty,
                    has_dynamic_offset: false,
                    min_binding_size: None,
                },
                count: None,
            };
            let shape = entry(0, wgpu::BufferBindingType::Uniform);
            let buffers = bindings.iter().zip(1..).map(|(access, binding)| {
                let read_only = *access == Access::Read;
                entry(binding, wgpu::BufferBindingType::Storage { read_only })
            });
            device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                label: None,
                entries: &std::iter::once(shape).chain(buffers).collect::<Vec<_>>(),
            })
        };
        self.layouts.entry(bindings).or_insert_with(make).clone()
    }
}
