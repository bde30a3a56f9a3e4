//! Which cells come first: a step of one cell commits what its order prefers.

use lacuna_decoder::{
    CellView, Decisions, DenoiseRequest, Denoiser, DenoiserError, Event, NarrowRequest, Options,
    Order, OrderKind, Run,
};
use lacuna_logits::{RowSummary, Scored};
use pollster::block_on;

use crate::support::{Adversary, Model, vocabulary};

/// A model that notes what it answers.
struct Noted {
    model: Model,
    rows: Vec<(usize, RowSummary)>,
}

impl Denoiser for Noted {
    fn vocabulary_size(&self) -> usize {
        self.model.vocabulary_size()
    }

    async fn denoise(
        &mut self,
        request: &DenoiseRequest<'_>,
    ) -> Result<Vec<RowSummary>, DenoiserError> {
        let rows = self.model.denoise(request).await?;
        self.rows = request.masked.iter().copied().zip(rows.clone()).collect();
        Ok(rows)
    }

    async fn narrow(
        &mut self,
        asks: &[NarrowRequest<'_>],
    ) -> Result<Vec<Vec<Scored>>, DenoiserError> {
        self.model.narrow(asks).await
    }
}

#[test]
fn a_step_of_one_cell_commits_what_the_order_puts_first() {
    type Preference = fn(&RowSummary) -> f32;
    let margin: Preference = |row| row.probability(&row.best[0]) - row.probability(&row.best[1]);
    let preferences: [(OrderKind, Preference); 3] = [
        (OrderKind::Confidence, |row| row.probability(&row.best[0])),
        (OrderKind::Margin, margin),
        (OrderKind::Entropy, |row| -row.entropy),
    ];
    for (order, preference) in preferences {
        let model = Noted {
            model: Model::new(Adversary::Noise(7), vocabulary()),
            rows: Vec::new(),
        };
        let options = Options {
            order,
            steps: 16,
            length: 16,
            early_stop: false,
            ..Options::default()
        };
        let clock = Box::new(|| 0.0);
        let mut run = Run::new(model, vocabulary(), None, options, clock).expect("a run");
        for _ in 0..16 {
            let events = block_on(run.step()).expect("a step");
            let committed = events.iter().find_map(|event| match event {
                Event::Commit(commit) => Some(commit),
                _ => None,
            });
            let committed = committed.expect("a cell a step");
            let rows = &run.denoiser().rows;
            let first = rows
                .iter()
                .rev()
                .max_by(|(_, one), (_, other)| preference(one).total_cmp(&preference(other)));
            let (cell, row) = first.expect("a masked cell");
            let shown = format!("{order:?}, step {}", committed.step);
            assert_eq!(
                (committed.cell, committed.token),
                (*cell, row.best[0].token),
                "{shown}"
            );
        }
    }
}

#[test]
fn an_order_of_ones_own_decides() {
    struct FromTheRight;
    impl Order for FromTheRight {
        fn preference(&self, view: &CellView) -> f32 {
            view.cell as f32
        }
    }
    let options = Options {
        steps: 6,
        length: 6,
        early_stop: false,
        ..Options::default()
    };
    let decisions = Decisions {
        order: Box::new(FromTheRight),
        ..Decisions::from(&options)
    };
    let model = Model::new(Adversary::Noise(3), vocabulary());
    let clock = Box::new(|| 0.0);
    let run = Run::new(model, vocabulary(), None, options, clock).expect("a run");
    let mut run = run.deciding(decisions);
    for cell in (0..6).rev() {
        let events = block_on(run.step()).expect("a step");
        let is_next = |event: &Event| matches!(event, Event::Commit(it) if it.cell == cell);
        assert!(events.iter().any(is_next), "{cell}");
    }
}
