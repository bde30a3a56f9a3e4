//! Every variant of every kernel, to be validated before anyone needs it.

use crate::kernel::{AttendBlock, Epilogue, Format, Kernel, Precision, Project, Tile};
use crate::template::TemplateError;

/// Widths of heads, in vectors, that stand for all others: one vector, an odd number, the usual
/// two, and more vectors than there are lanes.
const HEADS: [u32; 5] = [1, 5, 16, 32, 33];

/// All kernels that the forward pass and the measurements may ask for; of those that depend on a width, some.
pub fn all_kernels() -> Vec<Kernel> {
    let formats = [Format::Int8, Format::Int4, Format::Float];
    let precisions = [Precision::Single, Precision::Half];
    let mut kernels: Vec<Kernel> = formats.map(Kernel::Embed).into();
    kernels.extend([Kernel::Gather, Kernel::Idle, Kernel::Peak { threads: 128 }]);
    for subgroups in [false, true] {
        kernels.extend([32, 64, 256].map(|threads| Kernel::Summarize { threads, subgroups }));
    }
    for precision in precisions {
        for head_norm in [false, true] {
            kernels.push(Kernel::Rotate {
                head_norm,
                precision,
            });
        }
        for head4 in HEADS {
            kernels.extend(AttendBlock::ALL.map(|block| Kernel::Attend {
                head4,
                block,
                precision,
            }));
        }
        let uses = [
            (true, Epilogue::Set),
            (false, Epilogue::Add),
            (true, Epilogue::SwiGlu),
            (true, Epilogue::Logits),
        ];
        for ((format, tile), (normed, epilogue)) in formats
            .into_iter()
            .flat_map(|format| Tile::ALL.map(|tile| (format, tile)))
            .flat_map(|variant| uses.map(|used| (variant, used)))
        {
            kernels.push(Kernel::Project(Project {
                format,
                tile,
                normed,
                epilogue,
                precision,
            }));
        }
    }
    kernels
}

/// The names and the WGSL of all of them, for a browser to validate.
///
/// # Errors
/// [`TemplateError`] if a file of `shaders/` is not written as it should be.
pub fn all_sources() -> Result<Vec<(String, String)>, TemplateError> {
    all_kernels()
        .into_iter()
        .map(|kernel| Ok((kernel.name(), kernel.source()?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Access;
    use naga::AddressSpace;
    use naga::valid::{Capabilities, ValidationFlags, Validator};
    use std::collections::HashSet;

    #[test]
    fn every_variant_validates_and_binds_what_it_says() {
        let mut names = HashSet::new();
        for kernel in all_kernels() {
            let name = kernel.name();
            assert!(names.insert(name.clone()), "{name} twice");
            let source = kernel
                .naga_source()
                .unwrap_or_else(|error| panic!("{name}: {error}"));
            let module = naga::front::wgsl::parse_str(&source)
                .unwrap_or_else(|error| panic!("{name}: {}", error.emit_to_string(&source)));
            // Reading halves out of words is part of WGSL without extensions.
            let mut capabilities = Capabilities::SHADER_FLOAT16_IN_FLOAT32;
            capabilities.set(Capabilities::SHADER_FLOAT16, kernel.needs_f16());
            capabilities.set(Capabilities::SUBGROUP, kernel.needs_subgroups());
            Validator::new(ValidationFlags::all(), capabilities)
                .validate(&module)
                .unwrap_or_else(|error| panic!("{name}: {}", error.emit_to_string(&source)));
            for (_, variable) in module.global_variables.iter() {
                let Some(binding) = &variable.binding else {
                    continue;
                };
                let expected = match variable.space {
                    AddressSpace::Uniform => None,
                    AddressSpace::Storage { access } => {
                        match access.contains(naga::StorageAccess::STORE) {
                            true => Some(Access::Write),
                            false => Some(Access::Read),
                        }
                    }
                    other => panic!("{name}: {other:?}"),
                };
                let declared = match binding.binding {
                    0 => None,
                    at => Some(kernel.bindings()[at as usize - 1]),
                };
                assert_eq!(declared, expected, "{name}: {:?}", variable.name);
            }
        }
    }

    #[test]
    fn every_file_of_the_folder_is_used() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shaders");
        for entry in std::fs::read_dir(folder).expect("the folder of shaders") {
            let path = entry.expect("an entry").path();
            let name = path.file_stem().expect("a name").to_string_lossy();
            assert!(
                crate::kernel::FILES.iter().any(|(file, _)| *file == name),
                "{name} is not listed"
            );
        }
    }
}
