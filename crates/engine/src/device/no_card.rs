//! Cards, in a build that knows none.

use lacuna_logits::{RowSummary, Scored};
use lacuna_model::{ForwardError, Narrow, StepRequest, Weights};

use super::NoCard;

/// How a card is opened: not at all.
#[derive(Clone, Debug, Default)]
pub struct CardOptions {}

impl CardOptions {
    pub(super) fn computing_as(self, card: &Card) -> Self {
        match *card {}
    }
}

pub(crate) enum Card {}

impl Card {
    pub async fn open(_: &Weights, _: &CardOptions) -> Result<Self, NoCard> {
        let short = "this build runs on processors only".to_owned();
        let message = short.clone();
        Err(NoCard { short, message })
    }

    pub fn interface(&self) -> String {
        match *self {}
    }

    pub fn name(&self) -> String {
        match *self {}
    }

    pub fn is_software(&self) -> bool {
        match *self {}
    }

    pub fn has_half(&self) -> bool {
        match *self {}
    }

    pub fn is_half(&self) -> bool {
        match *self {}
    }

    pub fn set_half(&mut self, _: bool) -> Result<(), ForwardError> {
        match *self {}
    }

    pub async fn tune(&mut self, _: &StepRequest<'_>) -> Result<(), ForwardError> {
        match *self {}
    }

    pub async fn step(&mut self, _: &StepRequest<'_>) -> Result<Vec<RowSummary>, ForwardError> {
        match *self {}
    }

    pub async fn narrow(&mut self, _: &[Narrow<'_>]) -> Result<Vec<Vec<Scored>>, ForwardError> {
        match *self {}
    }
}
