use serde_json::{Map, Value, json};
use utoipa::openapi::{ObjectBuilder, RefOr, Schema, extensions::Extensions};

use crate::base::FaultCode;

use super::{Field, InputPlace, Reading, described, field::shortened, without_null};

/// Marks the schema of an object that clients send, while the OpenAPI document is built.
pub const SENT: &str = "x-sent";

/// The most ignored fields that a message names.
const MOST_NAMED: usize = 3;

/// The fields of an object that a client sent.
pub type Fields = Map<String, Value>;

/// A field in the OpenAPI document.
#[derive(Clone)]
pub struct Property {
    /// The name in JSON.
    pub name: String,
    pub required: bool,
    pub schema: RefOr<Schema>,
}

/// An object that clients send, declared with [`input!`](crate::input!). Unknown fields are
/// ignored, unless a client [asks for faults](super::MemberHandling). Unknown query parameters are
/// refused.
pub trait Input: Sized {
    fn read_object(object: &Fields, place: &mut InputPlace<'_>) -> Reading<Self>;

    /// The fields, in the order of their declaration.
    fn properties() -> Vec<Property>;

    /// Adds the schemas to which the fields refer.
    fn schemas(_: &mut Vec<(String, RefOr<Schema>)>) {}

    fn names() -> Vec<String> {
        let properties = Self::properties().into_iter();
        properties
            .map(|property| property.name)
            .collect()
    }
}

/// No query parameters.
impl Input for () {
    fn read_object(_: &Fields, _: &mut InputPlace<'_>) -> Reading<Self> {
        Some(())
    }

    fn properties() -> Vec<Property> {
        Vec::new()
    }
}

/// Converts `project_id` to `projectId` and `r#type` to `type`.
#[doc(hidden)]
pub fn camel_case(field: &str) -> String {
    let mut name = String::with_capacity(field.len());
    let mut upper = false;
    for character in field.trim_start_matches("r#").chars() {
        if character == '_' {
            upper = true;
        } else if std::mem::take(&mut upper) {
            name.extend(character.to_uppercase());
        } else {
            name.push(character);
        }
    }
    name
}

#[doc(hidden)]
pub fn read_field<T: Field>(
    object: &Fields,
    field: &str,
    place: &mut InputPlace<'_>,
) -> Reading<T> {
    let name = camel_case(field);
    match (object.get(&name), T::ABSENT) {
        (Some(value), _) => T::read(value, &mut place.at(name)),
        (None, Some(absent)) => Some(absent()),
        (None, None) => {
            let detail = format!("Send `{name}`.");
            place
                .at(name)
                .fault(FaultCode::Required, detail)
        }
    }
}

#[doc(hidden)]
pub fn property<T: Field>(field: &str, description: &[&str]) -> Property {
    Property {
        name: camel_case(field),
        required: T::ABSENT.is_none(),
        schema: described(T::field_schema(), description),
    }
}

/// The schema of an object. If there are `rules`, one of them must apply.
#[doc(hidden)]
pub fn object_schema(
    properties: Vec<Property>,
    rules: &[Value],
    example: Option<Value>,
    description: &[&str],
) -> RefOr<Schema> {
    let mut more = Extensions::from_iter([(SENT, json!(true))]);
    // A rule about the only field makes it required.
    let only = matches!(properties.as_slice(), [_]) && !rules.is_empty();
    if !only && !rules.is_empty() {
        // Beside `properties`, generators of types would take `anyOf` for other objects.
        more.insert("allOf".to_owned(), json!([{ "anyOf": rules }]));
    }
    let mut object = ObjectBuilder::new()
        .examples(example)
        .extensions(Some(more));
    for Property {
        name,
        required,
        schema,
    } in properties
    {
        if required || only {
            object = object.required(&name);
        }
        object = object.property(name, schema);
    }
    described(object.into(), description)
}

/// The rules that at least one of these fields is present.
#[doc(hidden)]
pub fn any_sent(properties: &[Property]) -> Vec<Value> {
    let sent = properties
        .iter()
        .map(|property| json!({ "required": [property.name] }));
    sent.collect()
}

/// The rules that at least one of these fields is present and not null.
#[doc(hidden)]
pub fn any_given(properties: &[Property], fields: &[&str]) -> Vec<Value> {
    let rules = fields
        .iter()
        .map(|field| given(properties, &[*field]));
    rules.collect()
}

/// The rules that either all of these fields are present and not null, or none is.
#[doc(hidden)]
pub fn all_or_none_given(properties: &[Property], fields: &[&str]) -> Vec<Value> {
    let null = |field: &&str| (camel_case(field), json!({ "type": "null" }));
    let absent: Map<_, _> = fields.iter().map(null).collect();
    vec![given(properties, fields), json!({ "properties": absent })]
}

/// The rule that each of these fields is present, with a value of its own schema other than null.
fn given(properties: &[Property], fields: &[&str]) -> Value {
    let names: Vec<String> = fields
        .iter()
        .map(|field| camel_case(field))
        .collect();
    let schemas = properties
        .iter()
        .filter(|property| names.contains(&property.name))
        .map(|property| {
            let schema = json!(without_null(property.schema.clone()));
            (property.name.clone(), schema)
        });
    let schemas: Map<_, _> = schemas.collect();
    json!({ "required": names, "properties": schemas })
}

/// Checks that one of two fields is given, and not both. `neither` and `both` are the faults of
/// neither, at the object, and of both, at the field `at`.
pub fn one_of_two<A, B>(
    first: Reading<&Option<A>>,
    second: Reading<&Option<B>>,
    object: &mut InputPlace<'_>,
    at: &str,
    [neither, both]: [&str; 2],
) {
    match (first, second) {
        (Some(None), Some(None)) => object.report(FaultCode::Required, neither),
        (Some(Some(_)), Some(Some(_))) => object
            .at(at)
            .report(FaultCode::Combination, both),
        _ => {}
    }
}

#[doc(hidden)]
pub fn at_least_one(object: &Fields, names: &[String], place: &mut InputPlace<'_>) {
    if names
        .iter()
        .any(|name| object.contains_key(name))
    {
        return;
    }
    let ignored = object
        .keys()
        .take(MOST_NAMED)
        .map(|name| shortened(name));
    let ignored: Vec<String> = ignored
        .map(|name| format!("`{name}`"))
        .collect();
    let mut detail = format!("Send at least one of: {}.", names.join(", "));
    if !ignored.is_empty() {
        detail = format!("{} cannot be changed. {detail}", ignored.join(", "));
    }
    place.report(FaultCode::Required, detail);
}

/// Declares objects that clients send: for each its struct, its reader and its schema.
///
/// ```
/// use model::{
///     base::{Timestamp, Title, input::{self, Patch, PatchField}},
///     input,
/// };
///
/// pub struct Deal {
///     title: Title,
///     closes_at: Option<Timestamp>,
/// }
///
/// input! {
///     /// A change of a deal.
///     pub struct DealUpdate {
///         /// Shown in lists.
///         title: PatchField<Title>,
///         closes_at: Patch<Timestamp>,
///     }
///     changes Deal;
///     needs any;
/// }
///
/// let update: DealUpdate = input::parse(br#"{"closesAt": null}"#).unwrap();
/// let faults = input::parse::<DealUpdate>(br#"{"title": ""}"#).unwrap_err();
/// assert_eq!(faults[0].pointer, "/title");
/// # let _ = |deal: &mut Deal| update.apply(deal);
/// ```
///
/// Clauses after each struct, in this order:
///
/// | clause | meaning |
/// |---|---|
/// | `changes Record;` | adds `apply`, which changes the fields of the same names |
/// | `needs any;` | at least one field must be sent |
/// | `check(one, other) function;` | a rule about several fields; the function gets each value that was read, the place of the object and the arguments behind its name; repeatable |
/// | `schema any_given(one, other);` | adds to the schema that one of the fields is present and not null |
/// | `schema all_or_none_given(one, other);` | adds to the schema that all of the fields are present and not null, or none |
/// | `distinct by field, "…";` | elements of a list differ in the field; the text is the fault |
/// | `example {…};` | the example of the document, which a test sends |
///
/// An object that a record stores as it was sent adds its derives before the struct. Answers may
/// show it, since it has a schema.
#[macro_export]
macro_rules! input {
    ($(
        $(#[doc = $about:literal])*
        $(#[derive($($derived:path),+)] #[serde($($serde:tt)+)])?
        pub struct $name:ident {
            $($(#[doc = $doc:literal])* $field:ident: $type:ty),+ $(,)?
        }
        $(changes $record:ty;)?
        $(needs $any:ident;)?
        $(check($($argument:ident),+) $check:ident $(($($more:expr),+))?;)*
        $(schema $rule:ident($($member:ident),+);)?
        $(distinct by $key:ident, $repeated:literal;)?
        $(example $example:tt;)?
    )+) => {$(
        $(#[doc = $about])*
        #[derive(Clone, Debug)]
        $(#[derive($($derived),+)] #[serde($($serde)+)])?
        pub struct $name {
            $(
                $(#[doc = $doc])*
                #[doc = concat!("(`", stringify!($field), "`)")]
                pub $field: $type,
            )+
        }

        impl $crate::base::input::Field for $name {
            fn read(
                value: &$crate::base::input::Json,
                place: &mut $crate::base::input::InputPlace<'_>,
            ) -> $crate::base::input::Reading<Self> {
                let object = place.object(value)?;
                <Self as $crate::base::input::Input>::read_object(object, place)
            }

            $(fn among(&self, before: &[Self], place: &mut $crate::base::input::InputPlace<'_>) {
                if before.iter().any(|other| other.$key == self.$key) {
                    let name = $crate::base::input::camel_case(stringify!($key));
                    place.at(name).report($crate::base::FaultCode::Repeated, $repeated);
                }
            })?

            fn field_schema() -> $crate::base::input::Schema {
                $crate::base::input::reference(stringify!($name))
            }

            fn field_schemas(schemas: &mut Vec<(String, $crate::base::input::Schema)>) {
                let properties = <Self as $crate::base::input::Input>::properties();
                let rules: Vec<Vec<$crate::base::input::Json>> = vec![
                    $({
                        let _ = stringify!($any);
                        $crate::base::input::any_sent(&properties)
                    },)?
                    $($crate::base::input::$rule(&properties, &[$(stringify!($member)),+]),)?
                ];
                let examples: &[$crate::base::input::Json] = &[$($crate::base::input::json!($example))?];
                let schema = $crate::base::input::object_schema(
                    properties,
                    &rules.concat(),
                    examples.first().cloned(),
                    &[$($about),*],
                );
                schemas.push((stringify!($name).to_owned(), schema));
                <Self as $crate::base::input::Input>::schemas(schemas);
            }
        }

        impl $crate::base::input::Input for $name {
            fn read_object(
                object: &$crate::base::input::Fields,
                place: &mut $crate::base::input::InputPlace<'_>,
            ) -> $crate::base::input::Reading<Self> {
                $(let $field: $crate::base::input::Reading<$type> =
                    $crate::base::input::read_field(object, stringify!($field), place);)+
                $(
                    let _ = stringify!($any);
                    $crate::base::input::at_least_one(object, &Self::names(), place);
                )?
                $($check($($argument.as_ref(),)+ place $(, $($more),+)?);)*
                place.known_members(object, Self::names);
                Some(Self { $($field: $field?,)+ })
            }

            fn properties() -> Vec<$crate::base::input::Property> {
                vec![$($crate::base::input::property::<$type>(stringify!($field), &[$($doc),*]),)+]
            }

            fn schemas(schemas: &mut Vec<(String, $crate::base::input::Schema)>) {
                $(<$type as $crate::base::input::Field>::field_schemas(schemas);)+
            }
        }

        $($crate::input!(@stored $name [$($derived),+]);)?
        $crate::input!(@apply $name [$($field)+] $($record)?);
    )+};
    (@stored $name:ident [$($derived:path),+]) => {
        impl $crate::base::input::PartialSchema for $name {
            fn schema() -> $crate::base::input::Schema {
                let mut schemas = Vec::new();
                <Self as $crate::base::input::Field>::field_schemas(&mut schemas);
                schemas.swap_remove(0).1
            }
        }

        impl $crate::base::input::ToSchema for $name {
            fn schemas(schemas: &mut Vec<(String, $crate::base::input::Schema)>) {
                <Self as $crate::base::input::Field>::field_schemas(schemas);
            }
        }
    };
    (@apply $name:ident [$($field:ident)+] $record:ty) => {
        impl Default for $name {
            fn default() -> Self {
                Self { $($field: Default::default(),)+ }
            }
        }

        impl $name {
            pub fn apply(self, record: &mut $record) {
                $(self.$field.apply(&mut record.$field);)+
            }
        }
    };
    (@apply $name:ident [$($field:ident)+]) => {};
}
