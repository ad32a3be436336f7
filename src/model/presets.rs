//! Published models.
