//! A serializer that writes the fields of a struct to a map and leaves some out.

use serde::{
    Serialize, Serializer,
    ser::{Error, Impossible, SerializeMap, SerializeStruct},
};

/// Writes the fields of a struct to a map, all but the hidden ones. Any other value is an error.
pub(super) struct Fields<'a, M> {
    map: &'a mut M,
    hidden: &'static [&'static str],
}

impl<'a, M> Fields<'a, M> {
    pub(super) const fn new(map: &'a mut M, hidden: &'static [&'static str]) -> Self {
        Self { map, hidden }
    }
}

impl<M: SerializeMap> SerializeStruct for Fields<'_, M> {
    type Ok = ();
    type Error = M::Error;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), M::Error> {
        if self.hidden.contains(&name) {
            return Ok(());
        }
        self.map.serialize_entry(name, value)
    }

    /// Writes null for a field that the table leaves out: an answer has every member.
    fn skip_field(&mut self, name: &'static str) -> Result<(), M::Error> {
        self.serialize_field(name, &())
    }

    fn end(self) -> Result<(), M::Error> {
        Ok(())
    }
}

/// Methods of a serializer that a struct does not call.
macro_rules! not_a_struct {
    ($($($method:ident$(<$T:ident>)?($($argument:ty),*)),+ -> $ok:ty;)*) => {$($(
        fn $method$(<$T: Serialize + ?Sized>)?(self, $(_: $argument),*) -> Result<$ok, M::Error> {
            Err(M::Error::custom("a record is a struct"))
        }
    )+)*};
}

impl<M: SerializeMap> Serializer for Fields<'_, M> {
    type Ok = ();
    type Error = M::Error;
    type SerializeSeq = Impossible<(), M::Error>;
    type SerializeTuple = Impossible<(), M::Error>;
    type SerializeTupleStruct = Impossible<(), M::Error>;
    type SerializeTupleVariant = Impossible<(), M::Error>;
    type SerializeMap = Impossible<(), M::Error>;
    type SerializeStruct = Self;
    type SerializeStructVariant = Impossible<(), M::Error>;

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self, M::Error> {
        Ok(self)
    }

    not_a_struct! {
        serialize_i8(i8), serialize_i16(i16), serialize_i32(i32), serialize_i64(i64) -> ();
        serialize_u8(u8), serialize_u16(u16), serialize_u32(u32), serialize_u64(u64) -> ();
        serialize_f32(f32), serialize_f64(f64), serialize_bool(bool), serialize_char(char) -> ();
        serialize_str(&str), serialize_bytes(&[u8]) -> ();
        serialize_none(), serialize_some<T>(&T) -> ();
        serialize_unit(), serialize_unit_struct(&'static str) -> ();
        serialize_unit_variant(&'static str, u32, &'static str) -> ();
        serialize_newtype_struct<T>(&'static str, &T) -> ();
        serialize_newtype_variant<T>(&'static str, u32, &'static str, &T) -> ();
        serialize_seq(Option<usize>) -> Impossible<(), M::Error>;
        serialize_tuple(usize) -> Impossible<(), M::Error>;
        serialize_tuple_struct(&'static str, usize) -> Impossible<(), M::Error>;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Impossible<(), M::Error>;
        serialize_map(Option<usize>) -> Impossible<(), M::Error>;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> Impossible<(), M::Error>;
    }
}
