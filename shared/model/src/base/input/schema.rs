//! Schemas of values in the OpenAPI document.

use utoipa::openapi::{
    self, KnownFormat, ObjectBuilder, Ref, RefOr, SchemaFormat,
    schema::{AdditionalProperties, SchemaType, Type},
};

/// A schema of the OpenAPI document, or a reference to one.
pub type Schema = RefOr<openapi::Schema>;

/// The schema of a text.
pub fn string() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String)
}

/// The schema of a text with a format of OpenAPI.
pub fn formatted(format: KnownFormat) -> ObjectBuilder {
    string().format(Some(SchemaFormat::KnownFormat(format)))
}

/// The schema of an object whose members, of any names, have this one.
pub fn map_of(member: Schema) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::Object)
        .additional_properties(Some(AdditionalProperties::RefOr(member)))
}

#[doc(hidden)]
pub fn reference(name: &str) -> Schema {
    Ref::from_schema_name(name).into()
}

pub fn described(mut schema: Schema, description: &[&str]) -> Schema {
    use openapi::Schema::{Array, Object, OneOf};
    let text: Vec<&str> = description
        .iter()
        .map(|line| line.trim())
        .collect();
    let text = text.join("\n");
    if text.is_empty() {
        return schema;
    }
    match &mut schema {
        RefOr::Ref(reference) => reference.description = text,
        RefOr::T(Object(object)) => object.description = Some(text),
        RefOr::T(Array(array)) => array.description = Some(text),
        RefOr::T(OneOf(one_of)) => one_of.description = Some(text),
        RefOr::T(_) => {}
    }
    schema
}

pub fn without_null(mut schema: Schema) -> Schema {
    match &mut schema {
        RefOr::T(openapi::Schema::OneOf(one_of)) => {
            one_of
                .items
                .retain(|schema| !is_null(schema));
            if let [only] = one_of.items.as_slice() {
                let about = one_of
                    .description
                    .as_deref()
                    .unwrap_or_default();
                return described(only.clone(), &[about]);
            }
        }
        RefOr::T(openapi::Schema::Object(object)) => {
            if let SchemaType::Array(types) = &mut object.schema_type {
                types.retain(|kind| *kind != Type::Null);
                if let [only] = types.as_slice() {
                    object.schema_type = SchemaType::Type(only.clone());
                }
            }
        }
        RefOr::T(openapi::Schema::Array(array)) => array.schema_type = Type::Array.into(),
        _ => {}
    }
    schema
}

fn is_null(schema: &Schema) -> bool {
    matches!(schema, RefOr::T(openapi::Schema::Object(object)) if object.schema_type == SchemaType::Type(Type::Null))
}
