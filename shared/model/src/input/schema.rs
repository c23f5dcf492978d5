//! Schemas of values in the OpenAPI document.

use utoipa::openapi::{
    self, Ref, RefOr,
    schema::{SchemaType, Type},
};

/// A schema of the OpenAPI document, or a reference to one.
pub type Schema = RefOr<openapi::Schema>;

#[doc(hidden)]
pub fn reference(name: &str) -> Schema {
    Ref::from_schema_name(name).into()
}

pub fn described(schema: Schema, description: &[&str]) -> Schema {
    let text: Vec<&str> = description.iter().map(|line| line.trim()).collect();
    let text = text.join("\n");
    if text.is_empty() {
        return schema;
    }
    match schema {
        RefOr::Ref(mut reference) => {
            reference.description = text;
            RefOr::Ref(reference)
        }
        RefOr::T(openapi::Schema::Object(mut object)) => {
            object.description = Some(text);
            RefOr::T(openapi::Schema::Object(object))
        }
        RefOr::T(openapi::Schema::Array(mut array)) => {
            array.description = Some(text);
            RefOr::T(openapi::Schema::Array(array))
        }
        RefOr::T(openapi::Schema::OneOf(mut one_of)) => {
            one_of.description = Some(text);
            RefOr::T(openapi::Schema::OneOf(one_of))
        }
        other @ RefOr::T(_) => other,
    }
}

pub fn without_null(schema: Schema) -> Schema {
    match schema {
        RefOr::T(openapi::Schema::OneOf(mut one_of)) => {
            one_of.items.retain(|schema| !is_null(schema));
            let about = one_of.description.clone().unwrap_or_default();
            match one_of.items.pop() {
                Some(only) if one_of.items.is_empty() => described(only, &[&about]),
                last => {
                    one_of.items.extend(last);
                    RefOr::T(openapi::Schema::OneOf(one_of))
                }
            }
        }
        RefOr::T(openapi::Schema::Object(mut object)) => {
            if let SchemaType::Array(types) = &mut object.schema_type {
                types.retain(|kind| *kind != Type::Null);
                if let [only] = types.as_slice() {
                    object.schema_type = SchemaType::Type(only.clone());
                }
            }
            RefOr::T(openapi::Schema::Object(object))
        }
        RefOr::T(openapi::Schema::Array(mut array)) => {
            array.schema_type = Type::Array.into();
            RefOr::T(openapi::Schema::Array(array))
        }
        other => other,
    }
}

pub(super) const fn is_list(schema: &Schema) -> bool {
    matches!(schema, RefOr::T(openapi::Schema::Array(_)))
}

fn is_null(schema: &Schema) -> bool {
    matches!(schema, RefOr::T(openapi::Schema::Object(object)) if object.schema_type == SchemaType::Type(Type::Null))
}
