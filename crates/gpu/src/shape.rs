//! The numbers that a dispatch is told, one structure a stage.
//!
//! Each is declared once, here; the WGSL of the structure is made from the same declaration, so
//! that the two sides cannot differ. All fields are four bytes, which both sides lay out alike.

use bytemuck::{Pod, Zeroable};

/// Declares a structure and its WGSL.
macro_rules! shape {
    ($(#[$about:meta])* $name:ident { $($(#[$note:meta])* $field:ident: $type:ident),* $(,)? }) => {
        $(#[$about])*
        #[repr(C)]
        #[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
        pub struct $name { $($(#[$note])* pub $field: $type),* }

        impl Shape for $name {
            const WGSL: &'static str = concat!(
                "struct Shape {\n",
                $("    ", stringify!($field), ": ", stringify!($type), ",\n",)*
                "}\n"
            );
        }
    };
}

/// What every dispatch's numbers have in common.
pub trait Shape: Pod {
    /// The same structure in WGSL, named `Shape`.
    const WGSL: &'static str;
}

shape! {
    /// Of `embed.wgsl`.
    EmbedShape {
        /// The first id that this part of the table holds.
        first_id: u32,
        /// Ids in this part.
        ids: u32,
        /// Vectors from one row of `x` to the next.
        stride: u32,
        /// Vectors from one row of the table to the next.
        weight_stride: u32,
    }
}

shape! {
    /// Of `gather.wgsl`.
    GatherShape {
        /// Where the list of rows begins.
        first_picked: u32,
        /// The row that stands first of those picked from.
        first_row: u32,
        /// Vectors in a row.
        stride: u32,
    }
}

shape! {
    /// Of `project.wgsl`.
    ProjectShape {
        /// Rows of the input …
        rows: u32,
        /// … from this one on.
        first_input_row: u32,
        /// The row of the result that the first of them becomes.
        first_result_row: u32,
        /// Outputs that this dispatch computes.
        columns: u32,
        /// The weight's row behind the first of them.
        first_row: u32,
        /// Where the first of them stands in a row of the result.
        first_column: u32,
        /// Vectors in a row of the factors, a multiple of 4.
        depth: u32,
        /// Vectors from one row of the input to the next.
        input_stride: u32,
        /// Vectors from one row of the weight to the next.
        weight_stride: u32,
        /// Numbers from one row of the result to the next.
        stride: u32,
        /// Numbers that a norm's mean is over.
        width: u32,
        /// What the norm adds to the mean square.
        epsilon: f32,
    }
}

shape! {
    /// Of `rotate.wgsl`.
    RotateShape {
        /// Where the positions of the rows begin.
        first_position: u32,
        /// The first row to be turned.
        first_row: u32,
        /// The first head to be turned.
        first_head: u32,
        /// Heads of queries; keys follow.
        query_heads: u32,
        /// Numbers from one head to the next.
        head_stride: u32,
        /// Half the width of a head.
        half_width: u32,
        /// Numbers from one row to the next.
        stride: u32,
        /// What the norm adds to the mean square.
        epsilon: f32,
    }
}

shape! {
    /// Of `attend.wgsl`; columns, strides and offsets in vectors.
    AttendShape {
        /// Rows of queries …
        queries: u32,
        /// … from this one on; those of the result begin at the first.
        first_query_row: u32,
        /// Rows of keys and values.
        keys: u32,
        /// From one row of queries to the next.
        query_stride: u32,
        /// From one row of keys and values to the next.
        pair_stride: u32,
        /// Where the keys begin in a row.
        first_key_column: u32,
        /// From a key to its value.
        value_offset: u32,
        /// Query heads that share a head of keys and values.
        heads_per_pair: u32,
        /// From one row of the result to the next.
        mixed_stride: u32,
        /// One over the square root of a head's width.
        scale: f32,
    }
}

shape! {
    /// Of `summarize.wgsl`.
    SummarizeShape {
        /// Tokens.
        vocabulary: u32,
        /// Candidates wanted.
        top: u32,
        /// The first job of this dispatch.
        first_job: u32,
        /// The row of logits that this part of them begins with.
        first_row: u32,
        /// Words from one job's `allowed` to the next, or 0 for one that all share.
        allowed_stride: u32,
        /// 0 for no noise.
        temperature: f32,
        /// Of the noise.
        seed_low: u32,
        /// Of the noise.
        seed_high: u32,
        /// Of the noise.
        step: u32,
    }
}

shape! {
    /// Of `peak.wgsl`.
    PeakShape {
        /// Multiply-adds of each number.
        rounds: u32,
    }
}

shape! {
    /// Of `idle.wgsl`.
    IdleShape {
        /// What each dispatch adds.
        addend: f32,
    }
}
