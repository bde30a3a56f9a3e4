//! The WGSL of `shaders/`, with the constants that Rust fills in.
//!
//! One stage a file; sizes shared with the host are `override` constants, given
//! when a pipeline is made, and stand in [`CONSTANTS`] and nowhere else. Every
//! shader is validated by naga when the tests run. Running them is not part of
//! this crate yet: the forward pass that the project uses is the CPU's, in
//! `lacuna-model`.

/// A compute shader of one stage.
#[derive(Clone, Copy, Debug)]
pub struct Shader {
    /// Its file's name without the ending, which is its entry point too.
    pub name: &'static str,
    /// The WGSL.
    pub source: &'static str,
}

/// Values of `override` constants, by name.
pub const CONSTANTS: [(&str, f64); 1] = [("workgroup_width", 64.0)];

/// Every shader.
pub const SHADERS: [Shader; 1] = [Shader {
    name: "rms_norm",
    source: include_str!("../../../shaders/rms_norm.wgsl"),
}];

#[cfg(test)]
mod tests {
    use super::*;
    use naga::valid::{Capabilities, ValidationFlags, Validator};

    #[test]
    fn every_shader_validates_and_names_only_known_constants() {
        for shader in SHADERS {
            let module = naga::front::wgsl::parse_str(shader.source)
                .unwrap_or_else(|error| panic!("{}", error.emit_to_string(shader.source)));
            Validator::new(ValidationFlags::all(), Capabilities::all())
                .validate(&module)
                .unwrap_or_else(|error| panic!("{}: {error:?}", shader.name));
            assert!(
                module
                    .entry_points
                    .iter()
                    .any(|entry| entry.name == shader.name)
            );
            for (_, constant) in module.overrides.iter() {
                let name = constant.name.as_deref().unwrap_or_default();
                assert!(
                    CONSTANTS.iter().any(|(known, _)| *known == name),
                    "{name} has no value"
                );
            }
        }
    }

    #[test]
    fn every_file_of_the_folder_is_listed() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shaders");
        for entry in std::fs::read_dir(folder).expect("the folder of shaders") {
            let path = entry.expect("an entry").path();
            let name = path
                .file_stem()
                .expect("a name")
                .to_string_lossy()
                .into_owned();
            assert!(
                SHADERS.iter().any(|shader| shader.name == name),
                "{name} is not listed"
            );
        }
    }
}
