//! The records that a value names. The types of its ids tell them apart, so that a new field needs
//! no line here.

use std::fmt;

use serde::{
    Serialize,
    ser::{
        Error, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
        SerializeTupleStruct, SerializeTupleVariant, Serializer,
    },
};

use crate::base::RecordType;

/// Fields with the type of the record whose id stands beside them.
const TYPES: [&str; 3] = ["type", "referenceType", "refersTo"];

/// Fields with an id whose record's type stands beside them.
const IDS: [&str; 3] = ["id", "recordId", "referenceId"];

/// The name of the type of an id whose record may have any type.
const OF_ANY_TYPE: &str = "ReferenceId";

/// A record that a field names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedRecord {
    pub kind: RecordType,
    pub id: i64,
    /// The field with the id, as in bodies: `creatorId`.
    pub field: String,
}

/// Returns the records that a value names: by a typed id, by an id under the name of its type, or
/// by an id beside its type in a struct. Texts, plain numbers and free objects name none.
pub fn named_records(value: &impl Serialize) -> Vec<NamedRecord> {
    let mut named_records = Vec::new();
    let names = Names {
        all: &mut named_records,
        field: "",
    };
    // Each record that was read serializes.
    let _ = value.serialize(names);
    named_records
}

/// A serialized part of a value.
#[derive(Clone, Copy)]
enum Part {
    Other,
    /// The name of a type of record.
    Type(RecordType),
    Number(i64),
    /// An id of a record of any type.
    Id(i64),
}

/// The serializer of the value of a field.
struct Names<'a> {
    all: &'a mut Vec<NamedRecord>,
    field: &'a str,
}

/// The members of an object or the elements of a list.
struct Members<'a> {
    all: &'a mut Vec<NamedRecord>,
    /// The field with the list.
    field: &'a str,
    /// The key of the next value of a map.
    key: String,
    /// False for a map, whose content may be free.
    is_struct: bool,
    kind: Option<RecordType>,
    id: Option<(i64, &'static str)>,
    /// The last id of a list without its type.
    last: Part,
}

impl<'a> Names<'a> {
    fn members(self, is_struct: bool) -> Members<'a> {
        Members {
            all: self.all,
            field: self.field,
            key: String::new(),
            is_struct,
            kind: None,
            id: None,
            last: Part::Other,
        }
    }
}

impl Members<'_> {
    fn member(&mut self, name: &str, value: &(impl Serialize + ?Sized)) -> Result<(), fmt::Error> {
        let names = Names {
            all: self.all,
            field: name,
        };
        let part = value.serialize(names)?;
        let is_type = self.is_struct && TYPES.contains(&name);
        let of_pair = IDS
            .into_iter()
            .find(|id| self.is_struct && *id == name);
        match part {
            Part::Type(kind) if is_type => self.kind = Some(kind),
            Part::Number(id) | Part::Id(id) if of_pair.is_some() => {
                self.id = of_pair.map(|name| (id, name));
            }
            Part::Id(id) => {
                if let Some(kind) = type_of_name(name) {
                    self.note(kind, id, name);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn element(&mut self, value: &(impl Serialize + ?Sized)) -> Result<(), fmt::Error> {
        let names = Names {
            all: self.all,
            field: self.field,
        };
        if let part @ Part::Id(_) = value.serialize(names)? {
            self.last = part;
        }
        Ok(())
    }

    fn note(&mut self, kind: RecordType, id: i64, field: &str) {
        let field = field.to_owned();
        self.all
            .push(NamedRecord { kind, id, field });
    }

    fn ended(mut self) -> Part {
        if let Some((kind, (id, field))) = self.kind.zip(self.id) {
            self.note(kind, id, field);
        }
        self.last
    }
}

/// Returns the type whose id stands under this name: `taskId`, `task` or `Task`.
fn type_of_name(name: &str) -> Option<RecordType> {
    let mut kinds = RecordType::ALL.iter().copied();
    kinds.find(|kind| {
        let is_named = kind.facts().named_by == name || kind.name() == name;
        is_named || format!("{kind:?}") == name
    })
}

/// Returns the type of record of a type of id, such as `TaskId`.
fn type_of_id(name: &str) -> Option<RecordType> {
    let name = name.strip_suffix("Id")?;
    let mut kinds = RecordType::ALL.iter().copied();
    kinds.find(|kind| format!("{kind:?}") == name)
}

macro_rules! numbers {
    ($($name:ident: $type:ty),+) => {
        $(fn $name(self, value: $type) -> Result<Part, fmt::Error> {
            Ok(i64::try_from(value).map_or(Part::Other, Part::Number))
        })+
    };
}

macro_rules! others {
    ($($name:ident($($argument:ty),*)),+) => {
        $(fn $name(self, $(_: $argument),*) -> Result<Part, fmt::Error> {
            Ok(Part::Other)
        })+
    };
}

impl<'a> Serializer for Names<'a> {
    type Ok = Part;
    type Error = fmt::Error;
    type SerializeSeq = Members<'a>;
    type SerializeTuple = Members<'a>;
    type SerializeTupleStruct = Members<'a>;
    type SerializeTupleVariant = Members<'a>;
    type SerializeMap = Members<'a>;
    type SerializeStruct = Members<'a>;
    type SerializeStructVariant = Members<'a>;

    numbers! {
        serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64
    }

    others! {
        serialize_bool(bool), serialize_f32(f32), serialize_f64(f64), serialize_char(char),
        serialize_bytes(&[u8]), serialize_none(), serialize_unit(), serialize_unit_struct(&'static str)
    }

    fn serialize_str(self, text: &str) -> Result<Part, fmt::Error> {
        Ok(RecordType::named(text).map_or(Part::Other, Part::Type))
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Part, fmt::Error> {
        value.serialize(self)
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<Part, fmt::Error> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<Part, fmt::Error> {
        let kind = type_of_id(name);
        if kind.is_none() && name != OF_ANY_TYPE {
            return value.serialize(self);
        }
        let Self { all, field } = self;
        let Part::Number(id) = value.serialize(Names { all, field })? else {
            return Ok(Part::Other);
        };
        let Some(kind) = kind else {
            return Ok(Part::Id(id));
        };
        let field = field.to_owned();
        all.push(NamedRecord { kind, id, field });
        Ok(Part::Other)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<Part, fmt::Error> {
        let mut members = self.members(false);
        members.member(variant, value)?;
        Ok(members.ended())
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Members<'a>, fmt::Error> {
        Ok(self.members(false))
    }

    fn serialize_tuple(self, _: usize) -> Result<Members<'a>, fmt::Error> {
        Ok(self.members(false))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Members<'a>, fmt::Error> {
        Ok(self.members(false))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Members<'a>, fmt::Error> {
        Ok(self.members(false))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Members<'a>, fmt::Error> {
        Ok(self.members(false))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Members<'a>, fmt::Error> {
        Ok(self.members(true))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Members<'a>, fmt::Error> {
        Ok(self.members(true))
    }
}

macro_rules! lists {
    ($($list:ident::$each:ident)+) => {$(
        impl $list for Members<'_> {
            type Ok = Part;
            type Error = fmt::Error;

            fn $each<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), fmt::Error> {
                self.element(value)
            }

            fn end(self) -> Result<Part, fmt::Error> {
                Ok(self.ended())
            }
        }
    )+};
}

lists! {
    SerializeSeq::serialize_element
    SerializeTuple::serialize_element
    SerializeTupleStruct::serialize_field
    SerializeTupleVariant::serialize_field
}

macro_rules! structs {
    ($($object:ident)+) => {$(
        impl $object for Members<'_> {
            type Ok = Part;
            type Error = fmt::Error;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> Result<(), fmt::Error> {
                self.member(name, value)
            }

            fn end(self) -> Result<Part, fmt::Error> {
                Ok(self.ended())
            }
        }
    )+};
}

structs! { SerializeStruct SerializeStructVariant }

impl SerializeMap for Members<'_> {
    type Ok = Part;
    type Error = fmt::Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), fmt::Error> {
        self.key = match serde_json::to_value(key) {
            Ok(serde_json::Value::String(key)) => key,
            Ok(key) => key.to_string(),
            Err(error) => return Err(fmt::Error::custom(error)),
        };
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), fmt::Error> {
        let key = std::mem::take(&mut self.key);
        self.member(&key, value)
    }

    fn end(self) -> Result<Part, fmt::Error> {
        Ok(self.ended())
    }
}

#[cfg(test)]
mod tests;
