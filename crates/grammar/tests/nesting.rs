//! Grammars cut at a depth. The judge is brute force: a text is nested as deep as
//! its brackets are, which is counted in the text.

use lacuna_grammar::lint::{LintOptions, lint, shortest_text};
use lacuna_grammar::nesting::{limit_nesting, unbounded_nesting};
use lacuna_grammar::recognize::recognize;
use lacuna_grammar::{Linted, gbnf, lark};

/// Grammars whose nesting is that of their brackets, which all are over `[]ab,`.
const BRACKETED: [&str; 5] = [
    r#"root ::= "[" (root ("," root)*)? "]" | "a""#,
    r#"root ::= list | "a"
       list ::= "[" items "]"
       items ::= items "," root | root"#,
    r#"root ::= root "," root | "a" | "[" root "]" | root "b""#,
    r#"root ::= sum
       sum ::= sum "," product | product
       product ::= product "b" atom | atom
       atom ::= "a" | "[" sum "]""#,
    // Nested by what stands at the beginning of one rule and the end of another.
    r#"root ::= "[" open | "a"
       open ::= root "]""#,
];

#[test]
fn cut_grammars_hold_the_texts_that_are_nested_so_deep() {
    let texts = texts(7);
    for grammar in BRACKETED {
        let linted = gbnf::lint(grammar).unwrap();
        assert_eq!(unbounded_nesting(&linted.grammar).len(), 1, "{grammar}");
        let (mut kept, mut cut_off) = (0, 0);
        for depth in 0..3 {
            let limited = limit_nesting(&linted, depth).unwrap();
            assert!(unbounded_nesting(&limited.grammar).is_empty(), "{grammar}");
            for text in &texts {
                let member = recognize(&linted.grammar, text.as_bytes());
                let kept_here = recognize(&limited.grammar, text.as_bytes());
                assert!(member || !kept_here, "{text} in {grammar}");
                if member {
                    let expected = match grammar == BRACKETED[0] {
                        // An empty list holds no value that is nested.
                        true => deepest(&text.replace("[]", "a")) <= depth,
                        false => deepest(text) <= depth,
                    };
                    assert_eq!(kept_here, expected, "{text} at {depth} in {grammar}");
                    kept += u32::from(kept_here);
                    cut_off += u32::from(!kept_here);
                }
            }
        }
        assert!(kept > 3 && cut_off > 3, "{kept} {cut_off} {grammar}");
    }
}

/// Pairs of brackets around the innermost.
fn deepest(text: &str) -> u32 {
    let (mut depth, mut most) = (0u32, 0);
    for byte in text.bytes() {
        match byte {
            b'[' => depth += 1,
            b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        most = most.max(depth);
    }
    most
}

fn texts(longest: usize) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut from = 0;
    for _ in 0..longest {
        let until = all.len();
        for at in from..until {
            for byte in "[]ab,".chars() {
                let text = format!("{}{byte}", all[at]);
                all.push(text);
            }
        }
        from = until;
    }
    all.retain(|text| {
        text.matches('[').count() == text.matches(']').count() && !text.starts_with([']', ','])
    });
    all
}

#[test]
fn what_does_not_nest() {
    for grammar in [
        r#"root ::= root "a" | "b""#,
        r#"root ::= "a" root | root "b" | "c""#,
        r#"root ::= "a" tail
           tail ::= "," root | "." "#,
        r#"root ::= ("a" | "(" b ")")*
           b ::= "x" b | "y""#,
    ] {
        let linted = gbnf::lint(grammar).unwrap();
        assert!(
            lint(&linted, &LintOptions::default()).is_empty(),
            "{grammar}"
        );
        let limited = limit_nesting(&linted, 0).unwrap();
        assert_eq!(limited.grammar.rules.len(), linted.grammar.rules.len());
    }
}

#[test]
fn limits_are_named() {
    let kind = |linted: &Linted, depth| *limit_nesting(linted, depth).unwrap_err();
    let deep = gbnf::lint(
        r#"root ::= "(" a ")"
        a ::= "[" b "]"
        b ::= root | "x" | "<" b ">""#,
    );
    assert_eq!(kind(&deep.unwrap(), 0).kind, "too-deep");
    let lists = gbnf::lint(r#"root ::= "[" root "]" | "a""#).unwrap();
    let found = kind(&lists, 1_000_000);
    assert_eq!(found.kind, "too-large");
}

#[test]
fn shortest_texts() {
    let cases = [
        (r#"root ::= "[" root "]" | "abc" | "é""#, 2),
        (
            r#"root ::= a{3} | b "x"
            a ::= "xy" | a "."
            b ::= [^a-z]{4,} "!"?"#,
            5,
        ),
        (r#"root ::= "" | "a""#, 0),
        (r#"root ::= [α-ω] [\U00010000-\U0010FFFF]"#, 6),
    ];
    for (grammar, length) in cases {
        let grammar = gbnf::parse(grammar).unwrap();
        assert_eq!(shortest_text(&grammar), Some(length));
    }
    let lexed =
        lark::parse("start: \"let\" NAME [\";\"]\nNAME: /[a-z]{2,}/\n%ignore \" \"").unwrap();
    assert_eq!(shortest_text(&lexed), Some(5));
}

#[test]
fn rules_that_no_text_needs_are_not_nested() {
    let linted = gbnf::lint("root ::= [a-z]\nunused ::= \"[\" unused \"]\" | \"a\"").unwrap();
    assert_eq!(unbounded_nesting(&linted.grammar), []);
    let string = lacuna_grammar::json_schema::lint(
        r#"{"type": "string"}"#,
        &lacuna_grammar::json_schema::SchemaOptions::membership(),
    );
    assert_eq!(lint(&string.unwrap(), &LintOptions::default()), []);
}
