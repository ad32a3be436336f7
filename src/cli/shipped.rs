//! Profiles by name or from a file.

use crate::{Failure, files};
use std::path::Path;
use stepcast::learned::{MOST_BYTES, Profile};

/// The shipped profiles (`cargo xtask profiles` rebuilds them).
const SHIPPED: [(&str, &[u8]); 7] = [
    ("perlmutter", include_bytes!("../../static/profiles/perlmutter.profile")),
    ("vista", include_bytes!("../../static/profiles/vista.profile")),
    ("a100", include_bytes!("../../static/profiles/a100.profile")),
    ("h100", include_bytes!("../../static/profiles/h100.profile")),
    ("h200", include_bytes!("../../static/profiles/h200.profile")),
    ("b200", include_bytes!("../../static/profiles/b200.profile")),
    ("gb200", include_bytes!("../../static/profiles/gb200.profile")),
];

/// The shipped profile of that name, or the one in that file.
pub(crate) fn open(name: &str) -> Result<Profile, Failure> {
    let read = |bytes: &[u8]| Profile::from_bytes(bytes).map_err(|error| vec![format!("{name}: {error}")]);
    if let Some((_, bytes)) = SHIPPED.iter().find(|shipped| shipped.0 == name) {
        return read(bytes);
    }
    let path = Path::new(name);
    if !path.is_file() {
        let names: Vec<&str> = SHIPPED.iter().map(|shipped| shipped.0).collect();
        let names = names.join(", ");
        return Err(vec![format!("Unknown profile {name}. Use a file, or one of {names}.")]);
    }
    read(&files::bytes(path, MOST_BYTES as u64)?)
}
