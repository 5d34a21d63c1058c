//! Part of wattle.
