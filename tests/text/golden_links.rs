//! Links that were minted say what they said then, whatever became of fields, presets and defaults since.

use std::collections::BTreeMap;
use stepcast::document::{Document, LINK_VERSION};
use stepcast::fields::{FIELDS, Field};
use stepcast::scenario::stack::FORMER_STACKS;

/// A link in each row, and behind a tab every field of it that is not what a bare link of its model and machines has, as
/// `key=text` pairs. A row may go when its link may be refused from then on, and changes never.
const GOLDEN: &str = include_str!("../golden_links.tsv");

/// Fields that may follow the newest tables of models and machines: prices, power and what data sheets say.
fn follows_tables(field: &Field) -> bool {
    use stepcast::fields::FieldGroup::{Cluster, Model, Run};
    matches!(field.group, Model | Cluster | Run) && !["m", "g", "n"].contains(&field.key)
}

fn rows() -> Vec<(&'static str, BTreeMap<&'static str, &'static str>)> {
    let rows = GOLDEN.lines().filter(|line| !line.starts_with("//"));
    rows.map(|line| {
        let (link, fields) = line.split_once('\t').expect("two columns");
        (link, fields.split(';').map(|pair| pair.split_once('=').expect("a pair")).collect())
    })
    .collect()
}

/// What a link says today: what follows tables only where it states it, as one with a model or machines of its own does.
fn said<'d>(link: &str, document: &'d Document) -> BTreeMap<&'static str, &'d str> {
    let stated = |field: &Field| link.contains(&format!(";{}=", field.key));
    let fields = FIELDS.iter().filter(|field| !follows_tables(field) || stated(field));
    fields.map(|field| (field.key, document.text(field.key))).collect()
}

#[test]
fn every_golden_link_opens_and_says_what_it_said() {
    let rows = rows();
    assert!(rows.len() > 40, "{}", rows.len());
    for (link, fields) in rows {
        let opened = Document::from_link(link).unwrap_or_else(|error| panic!("{link}: {error}"));
        assert_eq!(opened.notices, Vec::<String>::new(), "{link}");
        assert!(opened.document.scenario().is_ok(), "{link}: {:?}", opened.document.scenario());
        let today = said(link, &opened.document);
        for (key, text) in fields {
            // A stack that is no more has left its name to another one.
            let text = FORMER_STACKS.iter().find(|(former, _)| *former == text).map_or(text, |(_, now)| now);
            assert_eq!(today.get(key), Some(&text), "{link}: {key}");
        }
    }
}

#[test]
fn equal_jobs_have_equal_links_of_the_present_version() {
    for (link, _) in rows() {
        let document = Document::from_link(link).expect("a link").document;
        let written = document.to_link();
        assert!(written.starts_with(&format!("#{LINK_VERSION};")), "{written}");
        let again = Document::from_link(&written).expect("a link").document;
        assert_eq!(again, document, "{link}");
        assert_eq!(again.to_link(), written);
        // The order of pairs, and values that go without saying, make no other link.
        let (head, pairs) = link.split_once(';').expect("pairs");
        let mut turned: Vec<&str> = pairs.split(';').collect();
        turned.reverse();
        turned.push("seq=8192");
        let redundant =
            Document::from_link(&format!("{head};{}", turned.join(";"))).expect("a link").document;
        if document.text("seq") == "8192" {
            assert_eq!(redundant.to_link(), written);
        }
    }
}

#[test]
fn a_preset_with_a_few_changes_is_short() {
    let mut document = Document::from_link("#1;m=llama3-70b;g=dgx-h100;n=1024").expect("a link").document;
    for (key, text) in
        [("tp", "4"), ("pp", "8"), ("vpp", "5"), ("cp", "2"), ("gb", "2048"), ("rc", "selective")]
    {
        document.set(key, text);
    }
    assert!(document.to_link().len() < 150, "{}", document.to_link());
}

/// Prints the rows of links given in the environment, a line each, for the file.
#[test]
#[ignore = "writes the file's rows"]
fn print_rows() {
    for link in std::env::var("LINKS").expect("links").lines() {
        let Ok(opened) = Document::from_link(link) else { continue };
        if opened.notices.is_empty() && opened.document.scenario().is_ok() {
            let pairs: Vec<String> =
                said(link, &opened.document).iter().map(|(key, text)| format!("{key}={text}")).collect();
            println!("ROW{link}\t{}", pairs.join(";"));
        }
    }
}
