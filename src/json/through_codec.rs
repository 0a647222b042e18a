//! How types reach serde.

/// serde's traits for types that other programs read and write too. They go through the text, so they are for JSON.
#[doc(hidden)]
#[macro_export]
macro_rules! through_codec {
    ($($name:ty),* $(,)?) => {
        $(impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $crate::json::serialize_text(&$crate::json::codec::to_text(self), serializer)
            }
        }
        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = $crate::json::deserialize_text(deserializer)?;
                $crate::json::codec::from_checked(text.get()).map_err(serde::de::Error::custom)
            }
        })*
    };
    (write $($name:ty),* $(,)?) => {
        $(impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $crate::json::serialize_text(&$crate::json::codec::to_text(self), serializer)
            }
        })*
    };
}
