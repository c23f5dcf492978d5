//! The names of this crate's files: `use crate::prelude::*;` imports them.

pub(crate) use std::{collections::HashMap, sync::Arc};

pub(crate) use aws_sdk_dynamodb::types::{AttributeValue, ReturnConsumedCapacity};
pub(crate) use model::{Error, random};
pub(crate) use serde::{Serialize, de::DeserializeOwned};

pub(crate) use crate::{
    attribute::Item,
    client::ATTEMPTS,
    decode::{Undecodable, from_item},
    expression::{condition_text, some, some_text, update_expression},
    failure::{WRITE_ID, failure},
    item::{key_item, key_of, stored_at},
    meter::{self, count_read, count_write},
    page::{Page, Place, Row, Wanted},
    query::Query,
    record::{WRITTEN_BY, changed_item},
    text::Apart,
    write::Operation,
    *,
};
