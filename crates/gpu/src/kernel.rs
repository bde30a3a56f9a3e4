//! The kernels: which variants there are, and the WGSL of each.
//!
//! A [`Kernel`] is a file of `shaders/` with everything decided that the file leaves open: the
//! format of the weights, the type of the activations, the sizes of tiles. Its WGSL is made of
//! constants, the structure of its [`crate::shape`] and the file, by [`crate::template`].

use crate::shape::{
    AttendShape, EmbedShape, GatherShape, IdleShape, PeakShape, ProjectShape, RotateShape, Shape,
    SummarizeShape,
};
use crate::template::{Constants, TemplateError, expand};
use serde::{Deserialize, Serialize};

/// Words of a summary before its candidates: highest, sum, entropy, logits that are not finite.
pub const SUMMARY_WORDS: usize = 4;
/// Words of a candidate: token, logit, score.
pub const SCORED_WORDS: usize = 3;
/// Numbers that a slice of a matrix product is deep; depths are padded to it.
pub const SLICE: usize = 16;

/// Threads of the kernels that copy.
pub(crate) const COPY_THREADS: u32 = 64;
/// Chains of multiply-adds, of four numbers each, that measure the plain rate.
pub(crate) const PEAK_CHAINS: u32 = 8;
/// Threads that turn a head.
const ROTATE_THREADS: u32 = 32;
/// Threads on either side of the attention's square.
const ATTEND_LANES: u32 = 8;

/// How a matrix is stored on the card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Format {
    /// Four in a word, a scale for each row.
    Int8,
    /// Eight in a word, scale and minimum for each group of 32.
    Int4,
    /// One in a word.
    Float,
}

/// The type of what goes from stage to stage. Sums and the residual are always f32.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Precision {
    /// f32.
    Single,
    /// f16, where the adapter has it.
    Half,
}

/// What a matrix product does with its sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Epilogue {
    /// Writes activations.
    Set,
    /// Adds to the residual.
    Add,
    /// `silu(gate) * up`, as activations.
    SwiGlu,
    /// Writes f32: logits.
    Logits,
}

/// The tile of a matrix product that one workgroup computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Tile {
    /// Rows of the result.
    pub rows: u32,
    /// Columns of the result.
    pub columns: u32,
    /// Of which one thread computes this many rows …
    pub thread_rows: u32,
    /// … and this many columns.
    pub thread_columns: u32,
}

impl Tile {
    /// The tiles that there are, smallest first. Small ones make enough workgroups of a small
    /// product to fill a card; large ones read less for each multiplication.
    pub const ALL: [Self; 5] = [
        Self::new(16, 32, 2, 4),
        Self::new(32, 32, 4, 4),
        Self::new(64, 64, 4, 4),
        Self::new(64, 64, 8, 8),
        Self::new(128, 64, 8, 8),
    ];

    const fn new(rows: u32, columns: u32, thread_rows: u32, thread_columns: u32) -> Self {
        Self {
            rows,
            columns,
            thread_rows,
            thread_columns,
        }
    }

    /// Threads of a workgroup.
    pub const fn threads(self) -> u32 {
        (self.rows / self.thread_rows) * (self.columns / self.thread_columns)
    }

    /// Bytes of workgroup memory, at most.
    pub const fn workgroup_bytes(self) -> u32 {
        (self.rows + self.columns) * 5 * 16 + self.rows * 16
    }
}

/// The blocks that attention goes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AttendBlock {
    /// Queries of a workgroup.
    pub queries: u32,
    /// Keys at a time.
    pub keys: u32,
}

impl AttendBlock {
    /// Largest first.
    pub const ALL: [Self; 4] = [
        Self::new(32, 32),
        Self::new(16, 32),
        Self::new(16, 16),
        Self::new(8, 8),
    ];

    const fn new(queries: u32, keys: u32) -> Self {
        Self { queries, keys }
    }

    /// The largest block that fits in `bytes` of workgroup memory for heads of `head4` vectors.
    pub fn largest_within(bytes: u32, head4: u32, precision: Precision) -> Option<Self> {
        let vector = match precision {
            Precision::Single => 16,
            Precision::Half => 8,
        };
        Self::ALL.into_iter().find(|block| {
            let tiles = (block.queries + block.keys) * (head4 + 1) * vector;
            let weights = block.queries * (block.keys + 1) * 4;
            let lanes = block.queries * ATTEND_LANES * 4;
            tiles + weights + lanes <= bytes
        })
    }
}

/// One variant of one stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kernel {
    /// `embed.wgsl`.
    Embed(Format),
    /// `gather.wgsl`.
    Gather,
    /// `project.wgsl`.
    Project(Project),
    /// `rotate.wgsl`.
    Rotate {
        /// Heads are normalised first.
        head_norm: bool,
        /// Of the heads.
        precision: Precision,
    },
    /// `attend.wgsl`.
    Attend {
        /// Vectors in a head.
        head4: u32,
        /// The blocks.
        block: AttendBlock,
        /// Of queries, keys, values and the result.
        precision: Precision,
    },
    /// `summarize.wgsl`.
    Summarize {
        /// Threads of a workgroup, a power of two.
        threads: u32,
        /// With subgroup operations.
        subgroups: bool,
    },
    /// `peak.wgsl`, a measurement.
    Peak {
        /// Threads of a workgroup.
        threads: u32,
    },
    /// `idle.wgsl`, a measurement.
    Idle,
}

/// A variant of the matrix product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Project {
    /// Of the weights.
    pub format: Format,
    /// A workgroup's.
    pub tile: Tile,
    /// The input is the residual, to be normalised.
    pub normed: bool,
    /// What becomes of the sums.
    pub epilogue: Epilogue,
    /// Of the activations.
    pub precision: Precision,
}

/// Whether a kernel reads or writes the buffer of a binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Reads.
    Read,
    /// Reads and writes.
    Write,
}

pub(crate) const FILES: [(&str, &str); 12] = [
    ("attend", include_str!("../../../shaders/attend.wgsl")),
    ("embed", include_str!("../../../shaders/embed.wgsl")),
    ("gather", include_str!("../../../shaders/gather.wgsl")),
    ("idle", include_str!("../../../shaders/idle.wgsl")),
    ("noise", include_str!("../../../shaders/noise.wgsl")),
    ("peak", include_str!("../../../shaders/peak.wgsl")),
    ("project", include_str!("../../../shaders/project.wgsl")),
    ("rotate", include_str!("../../../shaders/rotate.wgsl")),
    ("summarize", include_str!("../../../shaders/summarize.wgsl")),
    (
        "weight_float",
        include_str!("../../../shaders/weight_float.wgsl"),
    ),
    (
        "weight_int4",
        include_str!("../../../shaders/weight_int4.wgsl"),
    ),
    (
        "weight_int8",
        include_str!("../../../shaders/weight_int8.wgsl"),
    ),
];

impl Kernel {
    /// A name that no other variant has.
    pub fn name(&self) -> String {
        match self {
            Self::Embed(format) => format!("embed_{}", format.word()),
            Self::Gather => "gather".to_owned(),
            Self::Project(project) => {
                let Project {
                    format,
                    tile,
                    normed,
                    epilogue,
                    precision,
                } = project;
                format!(
                    "project_{}_{}x{}_{}x{}{}_{}_{}",
                    format.word(),
                    tile.rows,
                    tile.columns,
                    tile.thread_rows,
                    tile.thread_columns,
                    if *normed { "_normed" } else { "" },
                    epilogue.word(),
                    precision.word()
                )
            }
            Self::Rotate {
                head_norm,
                precision,
            } => {
                let norm = if *head_norm { "_normed" } else { "" };
                format!("rotate{norm}_{}", precision.word())
            }
            Self::Attend {
                head4,
                block,
                precision,
            } => format!(
                "attend_{}_{}x{}_{}",
                4 * head4,
                block.queries,
                block.keys,
                precision.word()
            ),
            Self::Summarize { threads, subgroups } => {
                let subgroups = if *subgroups { "_subgroups" } else { "" };
                format!("summarize_{threads}{subgroups}")
            }
            Self::Peak { threads } => format!("peak_{threads}"),
            Self::Idle => "idle".to_owned(),
        }
    }

    /// The stage, for profiles: a name that variants share.
    pub fn stage(&self) -> &'static str {
        match self {
            Self::Embed(_) => "embed",
            Self::Gather => "gather",
            Self::Project(project) => match project.epilogue {
                Epilogue::Set => "attention inputs",
                Epilogue::Add => "back to the residual",
                Epilogue::SwiGlu => "feed-forward",
                Epilogue::Logits => "head",
            },
            Self::Rotate { .. } => "rotate",
            Self::Attend { .. } => "attend",
            Self::Summarize { .. } => "summarize",
            Self::Peak { .. } | Self::Idle => "measurement",
        }
    }

    /// Whether the adapter must have `shader-f16`.
    pub fn needs_f16(&self) -> bool {
        self.precision() == Precision::Half
    }

    /// Whether the adapter must have `subgroups`.
    pub fn needs_subgroups(&self) -> bool {
        matches!(
            self,
            Self::Summarize {
                subgroups: true,
                ..
            }
        )
    }

    /// The bindings behind the first, which is the shape.
    pub fn bindings(&self) -> &'static [Access] {
        use Access::{Read, Write};
        match self {
            Self::Embed(_) | Self::Rotate { .. } => &[Read, Read, Read, Write],
            Self::Gather | Self::Attend { .. } => &[Read, Read, Write],
            Self::Project(project) if project.normed => &[Read, Read, Read, Read, Write, Read],
            Self::Project(_) => &[Read, Read, Read, Read, Write],
            Self::Summarize { .. } => &[Read, Read, Read, Read, Write],
            Self::Peak { .. } | Self::Idle => &[Write],
        }
    }

    /// The WGSL as a browser takes it.
    ///
    /// # Errors
    /// [`TemplateError`] if a file of `shaders/` is not written as it should be.
    pub fn source(&self) -> Result<String, TemplateError> {
        let enable = match self.needs_subgroups() {
            true => "enable subgroups;\n",
            false => "",
        };
        Ok(format!("{enable}{}", self.naga_source()?))
    }

    /// The WGSL as naga takes it, which has subgroup operations but not the line that asks for
    /// them.
    ///
    /// # Errors
    /// As [`Kernel::source`].
    pub fn naga_source(&self) -> Result<String, TemplateError> {
        let (file, shape, numbers, words) = self.parts();
        let mut constants: Constants = Vec::new();
        let mut head = String::new();
        if self.needs_f16() {
            head.push_str("enable f16;\n\n");
        }
        for (name, value) in numbers {
            head.push_str(&format!("const {name}: u32 = {value}u;\n"));
            constants.push((name.to_owned(), value.to_string()));
        }
        for (name, value) in words {
            constants.push((name.to_owned(), value.to_owned()));
        }
        head.push_str(&format!("alias Number = {};\n\n", self.precision().wgsl()));
        head.push_str(shape);
        head.push_str("@group(0) @binding(0) var<uniform> shape: Shape;\n\n");
        let text = FILES
            .iter()
            .find(|(name, _)| *name == file)
            .map(|(_, text)| *text)
            .ok_or_else(|| TemplateError::NoFile(file.to_owned()))?;
        Ok(head + &expand(text, &FILES, &mut constants)?)
    }

    fn precision(&self) -> Precision {
        match self {
            Self::Project(Project { precision, .. })
            | Self::Rotate { precision, .. }
            | Self::Attend { precision, .. } => *precision,
            Self::Embed(_)
            | Self::Gather
            | Self::Summarize { .. }
            | Self::Peak { .. }
            | Self::Idle => Precision::Single,
        }
    }

    /// File, structure, constants that are numbers, constants that are words.
    fn parts(&self) -> Parts {
        match self {
            Self::Embed(format) => (
                "embed",
                EmbedShape::WGSL,
                vec![("THREADS", COPY_THREADS)],
                vec![("WEIGHT", format.word())],
            ),
            Self::Gather => (
                "gather",
                GatherShape::WGSL,
                vec![("THREADS", COPY_THREADS)],
                vec![],
            ),
            Self::Project(project) => project.parts(),
            Self::Rotate { head_norm, .. } => (
                "rotate",
                RotateShape::WGSL,
                vec![
                    ("THREADS", ROTATE_THREADS),
                    ("HEAD_NORM", u32::from(*head_norm)),
                ],
                vec![],
            ),
            Self::Attend { head4, block, .. } => (
                "attend",
                AttendShape::WGSL,
                vec![
                    ("HEAD4", *head4),
                    ("BLOCK_QUERIES", block.queries),
                    ("BLOCK_KEYS", block.keys),
                    ("THREAD_QUERIES", block.queries / ATTEND_LANES),
                    ("THREAD_KEYS", block.keys / ATTEND_LANES),
                    ("THREAD_VALUES", head4.div_ceil(ATTEND_LANES)),
                    ("LANES", ATTEND_LANES),
                    ("THREADS", ATTEND_LANES * ATTEND_LANES),
                ],
                vec![],
            ),
            Self::Peak { threads } => (
                "peak",
                PeakShape::WGSL,
                vec![("THREADS", *threads), ("CHAINS", PEAK_CHAINS)],
                vec![],
            ),
            Self::Idle => ("idle", IdleShape::WGSL, vec![], vec![]),
            Self::Summarize { threads, subgroups } => (
                "summarize",
                SummarizeShape::WGSL,
                vec![
                    ("THREADS", *threads),
                    ("SUBGROUPS", u32::from(*subgroups)),
                    ("SUMMARY_WORDS", SUMMARY_WORDS as u32),
                    ("SCORED_WORDS", SCORED_WORDS as u32),
                    ("NOISE_SHIFT", 32 - lacuna_logits::UNIFORM_BITS),
                    ("NOISE_VALUES", 1 << lacuna_logits::UNIFORM_BITS),
                ],
                vec![],
            ),
        }
    }
}

type Parts = (
    &'static str,
    &'static str,
    Vec<(&'static str, u32)>,
    Vec<(&'static str, &'static str)>,
);

impl Project {
    fn parts(&self) -> Parts {
        let Tile {
            rows,
            columns,
            thread_rows,
            thread_columns,
        } = self.tile;
        let threads = self.tile.threads();
        let stored = match self.epilogue {
            Epilogue::SwiGlu => thread_columns / 2,
            _ => thread_columns,
        };
        let result = match self.epilogue {
            Epilogue::Add | Epilogue::Logits => "f32",
            Epilogue::Set | Epilogue::SwiGlu => "number",
        };
        let epilogue = match self.epilogue {
            Epilogue::Logits => Epilogue::Set,
            other => other,
        };
        let slice4 = SLICE as u32 / 4;
        (
            "project",
            ProjectShape::WGSL,
            vec![
                ("TILE_ROWS", rows),
                ("TILE_COLUMNS", columns),
                ("THREAD_ROWS", thread_rows),
                ("THREAD_COLUMNS", thread_columns),
                ("STORED_COLUMNS", stored),
                ("LANES_X", columns / thread_columns),
                ("LANES_Y", rows / thread_rows),
                ("THREADS", threads),
                ("INPUT_LOADS", rows * slice4 / threads),
                ("WEIGHT_LOADS", columns * slice4 / threads),
                ("NORMED", u32::from(self.normed)),
            ],
            vec![
                ("WEIGHT", self.format.word()),
                ("EPILOGUE", epilogue.word()),
                ("RESULT", result),
            ],
        )
    }
}

impl Format {
    /// As file names have it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Int8 => "int8",
            Self::Int4 => "int4",
            Self::Float => "float",
        }
    }
}

impl Epilogue {
    fn word(self) -> &'static str {
        match self {
            Self::Set => "set",
            Self::Add => "add",
            Self::SwiGlu => "swiglu",
            Self::Logits => "logits",
        }
    }
}

impl Precision {
    fn wgsl(self) -> &'static str {
        match self {
            Self::Single => "f32",
            Self::Half => "f16",
        }
    }

    fn word(self) -> &'static str {
        self.wgsl()
    }

    /// Bytes of a number.
    pub fn bytes(self) -> usize {
        match self {
            Self::Single => 4,
            Self::Half => 2,
        }
    }
}
