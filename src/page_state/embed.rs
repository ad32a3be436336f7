//! The page's query string: one view alone, for an iframe on somebody else's page.

use crate::document::decode;
use crate::fields::Field;

/// What an embedding page may show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmbedView {
    /// Headline figures.
    Summary,
    /// Where the step's time goes.
    Breakdown,
    /// The ranked layouts.
    Ranking,
    /// A panel, by its name.
    Panel(&'static str),
}

impl EmbedView {
    /// Every view with its name in the query string, its name for people, and the height of the iframe that shows it
    /// without scrolling at 700 CSS pixels of width.
    pub const ALL: [(Self, &'static str, &'static str, u32); 11] = [
        (Self::Summary, "summary", "Headline figures", 300),
        (Self::Breakdown, "breakdown", "Time breakdown", 410),
        (Self::Ranking, "ranking", "Ranked layouts", 560),
        (Self::Panel("jobs"), "compare", "Comparison of forecasts", 680),
        (Self::Panel("memory"), "memory", "Memory by stage", 620),
        (Self::Panel("matrix"), "matrix", "Communication matrix", 760),
        (Self::Panel("links"), "links", "Link activity", 640),
        (Self::Panel("timeline"), "timeline", "Pipeline timeline", 520),
        (Self::Panel("scaling"), "scaling", "Scaling efficiency", 760),
        (Self::Panel("operator"), "operator", "One operator", 420),
        (Self::Panel("accuracy"), "accuracy", "Accuracy", 1200),
    ];

    fn entry(self) -> (Self, &'static str, &'static str, u32) {
        Self::ALL.into_iter().find(|entry| entry.0 == self).unwrap_or(Self::ALL[0])
    }

    /// The name of the view in the query string.
    pub fn name(self) -> &'static str {
        self.entry().1
    }

    /// Height of the iframe that shows it without scrolling at 700 CSS pixels of width.
    pub fn height(self) -> u32 {
        self.entry().3
    }
}

/// The view in a query string such as `?embed=1&view=breakdown`; `None` for the whole page.
/// A view it does not know is the summary.
pub fn requested(query: &str) -> Option<EmbedView> {
    let pairs = || query.trim_start_matches('?').split('&').filter_map(|pair| pair.split_once('='));
    pairs().find(|pair| *pair == ("embed", "1"))?;
    let name = pairs().find(|pair| pair.0 == "view").map_or("summary", |pair| pair.1);
    Some(EmbedView::ALL.iter().find(|entry| entry.1 == name).map_or(EmbedView::Summary, |entry| entry.0))
}

/// Fields that a reader of an embed may set, as `edit=n,tp` of a query string names them; a few at most.
pub fn edited(query: &str) -> Vec<&'static Field> {
    let pairs = query.trim_start_matches('?').split('&').filter_map(|pair| pair.split_once('='));
    // Scripts that write query strings encode the comma.
    let lists: Vec<String> =
        pairs.filter(|pair| pair.0 == "edit").filter_map(|pair| decode(pair.1)).collect();
    let keys = lists.iter().flat_map(|keys| keys.split(','));
    keys.filter_map(Field::find).take(MOST_EDITED).collect()
}

/// Fields that an embed has room for.
const MOST_EDITED: usize = 4;

/// HTML that shows one view of a link in somebody else's page. `page` is the address without query
/// and fragment, `fragment` the link.
pub fn snippet(page: &str, view: EmbedView, fragment: &str) -> String {
    let fragment = fragment.trim_start_matches('#').replace('&', "&amp;").replace('"', "%22");
    let (name, height) = (view.name(), view.height());
    format!(
        "<iframe src=\"{page}?embed=1&amp;view={name}#{fragment}\" title=\"stepcast: training step forecast\" \
         width=\"100%\" height=\"{height}\" loading=\"lazy\"></iframe>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panels::Panel;

    #[test]
    fn only_embed_1_asks_for_one_view() {
        assert_eq!(requested(""), None);
        assert_eq!(requested("?view=ranking"), None);
        assert_eq!(requested("?embed=0&view=ranking"), None);
        assert_eq!(requested("?embed=1"), Some(EmbedView::Summary));
        assert_eq!(requested("?embed=1&view=ranking&theme=dark"), Some(EmbedView::Ranking));
        assert_eq!(requested("?theme=dark&view=breakdown&embed=1"), Some(EmbedView::Breakdown));
        assert_eq!(requested("?embed=1&view=nothing"), Some(EmbedView::Summary));
    }

    #[test]
    fn every_view_has_a_name_of_its_own_and_a_panel_that_there_is() {
        for (view, name, _, height) in EmbedView::ALL {
            assert_eq!(requested(&format!("?embed=1&view={name}")), Some(view));
            assert_eq!((view.name(), view.height()), (name, height));
            if let EmbedView::Panel(id) = view {
                assert!(Panel::find(id).is_some(), "{id}");
            }
        }
    }

    #[test]
    fn an_embed_offers_the_fields_that_it_is_asked_for() {
        let keys = |query: &str| edited(query).iter().map(|field| field.key).collect::<Vec<_>>();
        assert_eq!(keys("?embed=1&edit=n,tp&view=summary"), ["n", "tp"]);
        assert_eq!(keys("?edit=n%2Ctp"), ["n", "tp"]);
        assert_eq!(keys("?edit=nothing,%2C"), Vec::<&str>::new());
        assert_eq!(keys("?edit=n,tp,pp,cp,mb").len(), MOST_EDITED);
        assert_eq!(keys("?embed=1"), Vec::<&str>::new());
    }

    #[test]
    fn the_snippet_cannot_be_broken_out_of() {
        let html = snippet("https://example.org/", EmbedView::Ranking, "#1;m=a\"><script>");
        assert!(html.starts_with("<iframe src=\"https://example.org/?embed=1&amp;view=ranking#1;m=a%22"));
        assert_eq!(html.matches('"').count(), 10);
    }
}
