//! Types of strings with a format.

/// Declares string types of a format. The arguments are: name, regular expression, most characters,
/// example, check, and the format in words.
#[macro_export]
macro_rules! plain_text {
    ($(
        $(#[doc = $doc:literal])*
        $name:ident, $pattern:literal, $most:literal, $example:literal, $fits:path, $form:literal;
    )*) => {$(
        $(#[doc = $doc])*
        #[doc = concat!("\n\nAt most ", stringify!($most), " characters: ", $form, ".")]
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        $crate::as_text!($name);

        impl $crate::base::input::Component for $name {
            fn parse(
                value: &$crate::base::input::Json,
                place: &mut $crate::base::input::InputPlace<'_>,
            ) -> $crate::base::input::Reading<Self> {
                let text = place.text(value)?;
                if !(1..=$most).contains(&text.chars().count()) {
                    let rule = concat!("have 1 to ", stringify!($most), " characters");
                    return place.must($crate::base::FaultCode::Length, rule);
                }
                if !$fits(text) {
                    return place.must($crate::base::FaultCode::Pattern, concat!("be ", $form));
                }
                Some(Self(text.to_owned()))
            }
        }

        impl utoipa::PartialSchema for $name {
            fn schema() -> $crate::base::input::Schema {
                let lines: &[&str] = &[$($doc.trim_ascii()),*];
                $crate::base::input::string()
                    .min_length(Some(1))
                    .max_length(Some($most))
                    .pattern(Some($pattern))
                    .description(Some(lines.join("\n")))
                    .examples([$example])
                    .into()
            }
        }

        impl utoipa::ToSchema for $name {}
    )*};
}
