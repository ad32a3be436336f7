//! Links whose pairs are compressed, as the page copies long ones: `#2.` and raw DEFLATE in base64 for addresses.

use crate::document::{LONGEST, packed};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use miniz_oxide::inflate::decompress_to_vec_with_limit;
use std::borrow::Cow;

/// A link with its pairs as they are read: unpacked where they are packed and can be, and else as it is.
pub(super) fn unpacked(link: &str) -> Cow<'_, str> {
    unpack(link).map_or(Cow::Borrowed(link), Cow::Owned)
}

fn unpack(link: &str) -> Option<String> {
    let (version, pairs) = packed(link.trim().split_once('#')?.1)?;
    let bytes = URL_SAFE_NO_PAD.decode(pairs).ok()?;
    let pairs = String::from_utf8(decompress_to_vec_with_limit(&bytes, LONGEST).ok()?).ok()?;
    Some(format!("#{version}{pairs}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read;
    use miniz_oxide::deflate::compress_to_vec;

    fn link_of(pairs: &str) -> String {
        format!("https://example.org/#1.{}", URL_SAFE_NO_PAD.encode(compress_to_vec(pairs.as_bytes(), 9)))
    }

    #[test]
    fn a_packed_link_says_what_it_said() {
        let pairs = ";m=llama3-8b;g=dgx-h100;n=64;tp=2;pp=1";
        assert_eq!(unpacked(&link_of(pairs)), format!("#1{pairs}"));
        let job = read(&link_of(pairs)).expect("a job");
        assert_eq!(job.document.to_link(), read(&format!("#1{pairs}")).expect("a job").document.to_link());
    }

    /// As a browser packs it.
    #[test]
    fn a_link_that_a_browser_has_packed_opens() {
        let link = "#1.s861zclJzE001rVIsk63TUmv0M0wNDCwzrM1M7FOT7I1MjWzLimwNbIuKLA1BAA";
        assert_eq!(unpacked(link), "#1;m=llama3-8b;g=dgx-h100;n=64;gb=256;tp=2;pp=1");
    }

    #[test]
    fn a_damaged_one_is_a_sentence_and_a_bomb_is_none() {
        for link in ["#1.", "#1.%%%", "#1.AAAA", &link_of(&"x".repeat(10 << 20))] {
            let problems = read(link).expect_err(link);
            assert!(problems[0].to_string().contains("compressed"), "{problems:?}");
        }
    }
}
