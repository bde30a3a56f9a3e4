//! The drafts of JSON Schema.

/// A draft; later ones are greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Draft {
    Four,
    Six,
    Seven,
    Nineteen,
    Twenty,
}

pub const DRAFTS: [Draft; 5] = [
    Draft::Four,
    Draft::Six,
    Draft::Seven,
    Draft::Nineteen,
    Draft::Twenty,
];

impl Draft {
    pub fn name(self) -> &'static str {
        match self {
            Self::Four => "4",
            Self::Six => "6",
            Self::Seven => "7",
            Self::Nineteen => "2019-09",
            Self::Twenty => "2020-12",
        }
    }

    /// What `$schema` says.
    #[allow(dead_code, reason = "some tests compile nothing")]
    pub fn uri(self) -> &'static str {
        match self {
            Self::Four => "http://json-schema.org/draft-04/schema#",
            Self::Six => "http://json-schema.org/draft-06/schema#",
            Self::Seven => "http://json-schema.org/draft-07/schema#",
            Self::Nineteen => "https://json-schema.org/draft/2019-09/schema",
            Self::Twenty => "https://json-schema.org/draft/2020-12/schema",
        }
    }

    /// The drafts that `7`, `7+` (and later) or `4-7` names.
    #[allow(dead_code, reason = "some tests take them all")]
    pub fn range(named: &str) -> Vec<Self> {
        let at = |name: &str| {
            let found = DRAFTS.into_iter().find(|draft| draft.name() == name);
            found.unwrap_or_else(|| panic!("no draft {name}"))
        };
        let exact = DRAFTS.into_iter().find(|draft| draft.name() == named);
        let (first, last) = match (exact, named.strip_suffix('+'), named.split_once('-')) {
            (Some(one), _, _) => (one, one),
            (_, Some(first), _) => (at(first), Self::Twenty),
            (_, _, Some((first, last))) => (at(first), at(last)),
            _ => panic!("no drafts {named}"),
        };
        let within = |draft: &Self| (first..=last).contains(draft);
        DRAFTS.into_iter().filter(within).collect()
    }
}
