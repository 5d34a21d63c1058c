//! Identifiers in the form of OpenStack's services, generated in a fixed order.

/// Generates identifiers, the same ones every time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ids(u64);

impl Ids {
    /// Returns the generator of the cloud with this number. The sequences of small numbers are far apart.
    pub(crate) fn of(cloud: u64) -> Self {
        Self(cloud.rotate_left(40))
    }

    /// Generates a UUID of version 4, with dashes.
    pub(crate) fn uuid(&mut self) -> String {
        let (high, low) = (self.number(), self.number());
        let high = (high & 0xffff_ffff_ffff_0fff) | 0x4000;
        let low = (low & 0x3fff_ffff_ffff_ffff) | 0x8000_0000_0000_0000;
        format!(
            "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
            high >> 32,
            (high >> 16) & 0xffff,
            high & 0xffff,
            low >> 48,
            low & 0xffff_ffff_ffff
        )
    }

    /// Generates a UUID without dashes, as used for projects.
    pub(crate) fn hex(&mut self) -> String {
        self.uuid().replace('-', "")
    }

    /// Generates a MAC address in Neutron's range.
    pub(crate) fn mac(&mut self) -> String {
        let number = self.number();
        format!("fa:16:3e:{:02x}:{:02x}:{:02x}", (number >> 16) & 0xff, (number >> 8) & 0xff, number & 0xff)
    }

    /// The next pseudorandom number (splitmix64).
    fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut number = self.0;
        number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        number ^ (number >> 31)
    }
}
