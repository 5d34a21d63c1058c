//! Cookbooks that stand elsewhere.
