//! Objects, which are made of fields.

use serde_json::{Map, Value, json};
use utoipa::openapi::{ObjectBuilder, RefOr, Schema, extensions::Extensions};

use super::{Field, Place, Reading, described};
use crate::FaultCode;

/// Marks the schema of an object that clients send, as long as the document is being put together.
pub const SENT: &str = "x-sent";

/// The fields of an object that a client sent.
pub type Fields = Map<String, Value>;

/// A field as the API's document describes it.
#[derive(Clone)]
pub struct Property {
    /// Its name in JSON.
    pub name: String,
    /// Whether it must be sent.
    pub required: bool,
    /// What may stand in it.
    pub schema: RefOr<Schema>,
}

/// An object that a client may send; declare one with [`input!`](crate::input!). Unknown fields are
/// ignored, unknown query parameters are refused.
pub trait Input: Field {
    /// Reads its fields.
    fn read_object(object: &Fields, place: &mut Place<'_>) -> Reading<Self>;

    /// Its fields, in the order of their declaration.
    fn properties() -> Vec<Property>;

    /// The names of its fields.
    #[must_use]
    fn names() -> Vec<String> {
        let properties = Self::properties().into_iter();
        properties.map(|property| property.name).collect()
    }
}

/// No query parameters at all.
impl Input for () {
    fn read_object(_: &Fields, _: &mut Place<'_>) -> Reading<Self> {
        Some(())
    }

    fn properties() -> Vec<Property> {
        Vec::new()
    }
}

impl Field for () {
    fn read(_: &Value, _: &mut Place<'_>) -> Reading<Self> {
        Some(())
    }

    fn field_schema() -> RefOr<Schema> {
        ObjectBuilder::new().into()
    }
}

/// `project_id` as `projectId`, and `r#type` as `type`.
#[doc(hidden)]
#[must_use]
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
pub fn read_field<T: Field>(object: &Fields, field: &str, place: &mut Place<'_>) -> Reading<T> {
    let name = camel_case(field);
    let mut place = place.at(&name);
    match object.get(&name) {
        None => T::absent(&mut place),
        Some(value) => T::read(value, &mut place),
    }
}

#[doc(hidden)]
#[must_use]
pub fn property<T: Field>(field: &str, description: &[&str]) -> Property {
    Property {
        name: camel_case(field),
        required: T::REQUIRED,
        schema: described(T::field_schema(), description),
    }
}

/// The schema of an object, to which one of `rules` applies if there are any.
#[doc(hidden)]
#[must_use]
pub fn object_schema(
    properties: Vec<Property>,
    rules: &[Value],
    description: &[&str],
) -> RefOr<Schema> {
    let mut more = Extensions::from_iter([(SENT, json!(true))]);
    // Of one field, this one.
    let only = matches!(properties.as_slice(), [_]) && !rules.is_empty();
    if !only && !rules.is_empty() {
        // Beside properties, makers of types would take `anyOf` for other objects.
        more.insert("allOf".to_owned(), json!([{ "anyOf": rules }]));
    }
    let mut object = ObjectBuilder::new().extensions(Some(more));
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

/// One of these fields at least is there.
#[doc(hidden)]
#[must_use]
pub fn any_sent(names: &[String]) -> Vec<Value> {
    let sent = names.iter().map(|name| json!({ "required": [name] }));
    sent.collect()
}

/// One of these fields at least is there, and not null.
#[doc(hidden)]
#[must_use]
pub fn any_given(fields: &[&str]) -> Vec<Value> {
    let given = fields.iter().map(|field| given(&[*field]));
    given.collect()
}

/// Either each of these fields is there, and not null, or none is.
#[doc(hidden)]
#[must_use]
pub fn all_or_none_given(fields: &[&str]) -> Vec<Value> {
    let absent = fields
        .iter()
        .map(|field| (camel_case(field), json!({ "type": "null" })))
        .collect::<Map<_, _>>();
    vec![given(fields), json!({ "properties": absent })]
}

/// Each of these fields is there, and not null.
fn given(fields: &[&str]) -> Value {
    const NOT_NULL: [&str; 5] = ["array", "boolean", "number", "object", "string"];
    let names: Vec<String> = fields.iter().map(|field| camel_case(field)).collect();
    let properties = names
        .iter()
        .map(|name| (name.clone(), json!({ "type": NOT_NULL })))
        .collect::<Map<_, _>>();
    json!({ "required": names, "properties": properties })
}

#[doc(hidden)]
pub fn at_least_one(object: &Fields, names: &[String], place: &mut Place<'_>) {
    if !names.iter().any(|name| object.contains_key(name)) {
        let detail = format!("Send at least one of {}.", names.join(", "));
        place.report(FaultCode::Required, detail);
    }
}

/// Declares what a client may send: the struct, how it is read with every fault, and its schema.
///
/// ```
/// use model::{Title, input, input::{Change, Patch}, Timestamp};
///
/// struct Deal {
///     title: Title,
///     closes_at: Option<Timestamp>,
/// }
///
/// input! {
///     /// What a client sends to change a deal.
///     pub struct DealUpdate {
///         /// Shown in lists.
///         title: Change<Title>,
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
/// Behind the struct may stand, in this order: `changes Record;` for an `apply` that changes the
/// fields of the same names; `needs any;` when at least one field must be sent; any number of
/// `check(one, other) function;` for rules about several fields, whose function gets
/// what was read of each, if it was, and the place of the object; `schema any_given(one, other);` or
/// `schema all_or_none_given(one, other);` for what of that a schema can say; `distinct by field, "…";`
/// for elements of a list. What a record keeps as it was sent derives what it needs for that, in front
/// of the struct.
#[macro_export]
macro_rules! input {
    (
        $(#[doc = $about:literal])*
        $(#[derive($($derived:path),+)] #[serde($($serde:tt)+)])?
        $vis:vis struct $name:ident {
            $($(#[doc = $doc:literal])* $field:ident: $type:ty,)+
        }
        $(changes $record:ty;)?
        $(needs $any:ident;)?
        $(check($($argument:ident),+) $check:path;)*
        $(schema $rule:ident($($member:ident),+);)?
        $(distinct by $key:ident, $repeated:literal;)?
    ) => {
        $(#[doc = $about])*
        #[derive(Clone, Debug)]
        $(#[derive($($derived),+)] #[serde($($serde)+)])?
        $vis struct $name {
            $(
                $(#[doc = $doc])*
                #[doc = concat!("(`", stringify!($field), "`)")]
                pub $field: $type,
            )+
        }

        impl $crate::input::Field for $name {
            fn read(
                value: &$crate::input::Json,
                place: &mut $crate::input::Place<'_>,
            ) -> $crate::input::Reading<Self> {
                match value.as_object() {
                    Some(object) => <Self as $crate::input::Input>::read_object(object, place),
                    None => place.wrong(value, "an object"),
                }
            }

            $(fn among(&self, before: &[Self], place: &mut $crate::input::Place<'_>) {
                if before.iter().any(|other| other.$key == self.$key) {
                    let name = $crate::input::camel_case(stringify!($key));
                    place.at(name).report($crate::FaultCode::Repeated, $repeated);
                }
            })?

            fn field_schema() -> $crate::input::Schema {
                $crate::input::reference(stringify!($name))
            }

            fn field_schemas(all: &mut Vec<(String, $crate::input::Schema)>) {
                let rules: Vec<Vec<$crate::input::Json>> = vec![
                    $({
                        let _ = stringify!($any);
                        $crate::input::any_sent(&<Self as $crate::input::Input>::names())
                    },)?
                    $($crate::input::$rule(&[$(stringify!($member)),+]),)?
                ];
                let schema = $crate::input::object_schema(
                    <Self as $crate::input::Input>::properties(),
                    &rules.concat(),
                    &[$($about),*],
                );
                all.push((stringify!($name).to_owned(), schema));
                $(<$type as $crate::input::Field>::field_schemas(all);)+
            }
        }

        impl $crate::input::Input for $name {
            fn read_object(
                object: &$crate::input::Fields,
                place: &mut $crate::input::Place<'_>,
            ) -> $crate::input::Reading<Self> {
                $(let $field: $crate::input::Reading<$type> =
                    $crate::input::read_field(object, stringify!($field), place);)+
                $(
                    let _ = stringify!($any);
                    $crate::input::at_least_one(object, &Self::names(), place);
                )?
                $($check($($argument.as_ref(),)+ place);)*
                Some(Self { $($field: $field?,)+ })
            }

            fn properties() -> Vec<$crate::input::Property> {
                vec![$($crate::input::property::<$type>(stringify!($field), &[$($doc),*]),)+]
            }
        }

        $crate::input!(@apply $name [$($field)+] $($record)?);
    };
    (@apply $name:ident [$($field:ident)+] $record:ty) => {
        /// Changes nothing.
        impl Default for $name {
            fn default() -> Self {
                Self { $($field: Default::default(),)+ }
            }
        }

        impl $name {
            /// Applies the changes to a record.
            pub fn apply(self, record: &mut $record) {
                $(self.$field.apply(&mut record.$field);)+
            }
        }
    };
    (@apply $name:ident [$($field:ident)+]) => {};
}
