//! Items with all of their attributes, whatever their record: to copy, move and delete them.

use aws_sdk_dynamodb::{
    operation::put_item::PutItemError,
    primitives::Blob,
    types::{AttributeValue, ReturnConsumedCapacity},
};
use model::base::Error;
use serde_json::{Value, json};

use crate::{
    AnyKey, Condition, Index, IntoAttribute, Main, Read, Refused, Table,
    attribute::Item,
    decode::from_item,
    failure::{WRITE_ID, failure},
    item::{key_item, key_of},
    meter::{count_read, count_write},
};

/// The write's id of an item that was copied into the table, or got another form. The table's
/// stream has it too.
pub const COPIED: &str = "copied";

/// An item as the table has it.
#[derive(Clone, Debug, PartialEq)]
pub struct RawItem(pub(crate) Item);

/// Items of a partition by sort key, and the key after which the next ones follow.
#[derive(Debug)]
pub struct RawPage {
    pub items: Vec<RawItem>,
    pub end: Option<AnyKey>,
}

impl RawItem {
    /// The most bytes of an item.
    pub const MOST: usize = 400 * 1_024;

    pub fn key(&self) -> Option<AnyKey> {
        key_of(&self.0)
    }

    /// The text in an attribute.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0
            .get(name)?
            .as_s()
            .ok()
            .map(String::as_str)
    }

    /// The whole number in an attribute.
    pub fn number(&self, name: &str) -> Option<i64> {
        self.0
            .get(name)?
            .as_n()
            .ok()?
            .parse()
            .ok()
    }

    pub fn set(&mut self, name: &str, value: impl IntoAttribute) {
        self.0
            .insert(name.to_owned(), value.into_attribute());
    }

    pub fn remove(&mut self, name: &str) {
        self.0.remove(name);
    }

    /// Replaces an attribute of an object, if the object is there.
    pub fn set_in(&mut self, object: &str, name: &str, value: impl IntoAttribute) {
        if let Some(AttributeValue::M(item)) = self.0.get_mut(object) {
            item.insert(name.to_owned(), value.into_attribute());
        }
    }

    /// Drops the write's id, since each write has its own.
    pub fn forget_write(&mut self) {
        self.remove(WRITE_ID);
    }

    /// The attributes without their types, to read some of them. `None` for an item without a JSON
    /// form.
    pub fn plain(&self) -> Option<Value> {
        from_item(&self.0).ok()
    }

    /// DynamoDB's own JSON, such as `{"id": {"N": "7"}}`, which names the type of each value.
    pub fn to_json(&self) -> Value {
        object(&self.0)
    }

    /// Reads DynamoDB's own JSON. `None` for other JSON, and without the attributes of the key.
    pub fn from_json(value: &Value) -> Option<Self> {
        let item = Self(item(value)?);
        item.key().is_some().then_some(item)
    }

    /// The bytes that DynamoDB counts: names and values, and for a list or an object 3 and 1 for
    /// each member.
    pub fn bytes(&self) -> usize {
        members(&self.0)
    }

    /// Replaces each number with that name, at any depth.
    pub fn replace_numbers(&mut self, name: &str, new: i64) {
        let new = new.into_attribute();
        each_object(&mut self.0, &mut |object| {
            if let Some(value @ AttributeValue::N(_)) = object.get_mut(name) {
                *value = new.clone();
            }
        });
    }

    /// Replaces the `id` or `recordId` of each object whose `type` is one of these, at any depth.
    pub fn replace_ids_of(&mut self, types: &[&str], new: i64) {
        let new = new.into_attribute();
        each_object(&mut self.0, &mut |object| {
            let name = object
                .get("type")
                .and_then(|name| name.as_s().ok());
            if name.is_some_and(|name| types.contains(&name.as_str())) {
                for name in ["id", "recordId"] {
                    if let Some(value @ AttributeValue::N(_)) = object.get_mut(name) {
                        *value = new.clone();
                    }
                }
            }
        });
    }
}

impl Table {
    /// Writes an item as it is, under the condition. Its write's id says that it is a copy.
    pub async fn put_raw(
        &self,
        item: &RawItem,
        condition: Condition,
    ) -> Result<Result<(), Refused>, Error> {
        let request = self.put_request(item.0.clone(), COPIED, &condition);
        match Box::pin(request.send()).await {
            Ok(output) => {
                count_write(output.consumed_capacity.as_slice());
                Ok(Ok(()))
            }
            Err(error) => match error.as_service_error() {
                Some(PutItemError::ConditionalCheckFailedException(_)) => {
                    Ok(Err(Refused { failed: vec![true] }))
                }
                _ => Err(failure(error)),
            },
        }
    }

    /// Reads the item of a key consistently.
    pub async fn raw_item(&self, key: &AnyKey) -> Result<Option<RawItem>, Error> {
        let batch = self
            .batch_get([key.clone()], Read::Consistent)
            .await?;
        Ok(batch.0.get(key).cloned().map(RawItem))
    }

    /// Reads up to 1 MB of a partition consistently, after a key.
    pub async fn raw_page(
        &self,
        partition: &str,
        after: Option<&AnyKey>,
    ) -> Result<RawPage, Error> {
        let request = self
            .client
            .query()
            .table_name(&*self.name)
            .key_condition_expression("#pk = :pk")
            .expression_attribute_names("#pk", Main::PARTITION)
            .expression_attribute_values(":pk", partition.into_attribute())
            .consistent_read(true)
            .set_exclusive_start_key(after.map(key_item))
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        let output = Box::pin(request.send())
            .await
            .map_err(failure)?;
        count_read(output.consumed_capacity.as_slice());
        let items = output
            .items
            .unwrap_or_default()
            .into_iter()
            .map(RawItem);
        Ok(RawPage {
            items: items.collect(),
            end: output
                .last_evaluated_key
                .as_ref()
                .and_then(key_of),
        })
    }
}

/// Returns true if two items have equal attributes. Sets have no order.
pub(crate) fn has_same_values(item: &Item, other: &Item) -> bool {
    object(item) == object(other)
}

fn object(item: &Item) -> Value {
    let members = item
        .iter()
        .map(|(name, value)| (name.clone(), json(value)));
    Value::Object(members.collect())
}

fn json(value: &AttributeValue) -> Value {
    match value {
        AttributeValue::S(text) => json!({ "S": text }),
        AttributeValue::N(digits) => json!({ "N": digits }),
        AttributeValue::Bool(value) => json!({ "BOOL": value }),
        AttributeValue::M(item) => json!({ "M": object(item) }),
        AttributeValue::L(values) => json!({ "L": values.iter().map(json).collect::<Vec<_>>() }),
        AttributeValue::Ss(texts) => json!({ "SS": sorted(texts) }),
        AttributeValue::Ns(numbers) => json!({ "NS": sorted(numbers) }),
        AttributeValue::B(bytes) => json!({ "B": bytes.as_ref() }),
        AttributeValue::Bs(blobs) => {
            json!({ "BS": blobs.iter().map(Blob::as_ref).collect::<Vec<_>>() })
        }
        // Null; there is no other type.
        _ => json!({ "NULL": true }),
    }
}

/// A set has no order, and two exports are compared.
fn sorted(values: &[String]) -> Vec<&String> {
    let mut sorted: Vec<&String> = values.iter().collect();
    sorted.sort();
    sorted
}

fn item(value: &Value) -> Option<Item> {
    let members = value.as_object()?.iter();
    members
        .map(|(name, value)| Some((name.clone(), attribute(value)?)))
        .collect()
}

fn attribute(value: &Value) -> Option<AttributeValue> {
    let mut members = value.as_object()?.iter();
    let (kind, value) = members
        .next()
        .filter(|_| members.next().is_none())?;
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let bytes = |value: &Value| {
        serde_json::from_value(value.clone())
            .ok()
            .map(Blob::new::<Vec<u8>>)
    };
    Some(match kind.as_str() {
        "S" => AttributeValue::S(text(value)?),
        "N" => AttributeValue::N(text(value)?),
        "BOOL" => AttributeValue::Bool(value.as_bool()?),
        "NULL" => AttributeValue::Null(true),
        "M" => AttributeValue::M(item(value)?),
        "L" => AttributeValue::L(each(value, attribute)?),
        "SS" => AttributeValue::Ss(each(value, text)?),
        "NS" => AttributeValue::Ns(each(value, text)?),
        "B" => AttributeValue::B(bytes(value)?),
        "BS" => AttributeValue::Bs(each(value, bytes)?),
        _ => return None,
    })
}

fn each<T>(values: &Value, read: impl Fn(&Value) -> Option<T>) -> Option<Vec<T>> {
    values
        .as_array()?
        .iter()
        .map(read)
        .collect()
}

fn members(item: &Item) -> usize {
    let members = item.iter();
    members
        .map(|(name, value)| name.len() + bytes(value))
        .sum()
}

fn bytes(value: &AttributeValue) -> usize {
    /// Two digits take a byte, and sign and exponent another.
    fn of_number(digits: &str) -> usize {
        digits.len().div_ceil(2) + 1
    }
    match value {
        AttributeValue::S(text) => text.len(),
        AttributeValue::N(digits) => of_number(digits),
        AttributeValue::M(item) => 3 + item.len() + members(item),
        AttributeValue::L(values) => 3 + values.len() + values.iter().map(bytes).sum::<usize>(),
        AttributeValue::Ss(texts) => texts.iter().map(String::len).sum(),
        AttributeValue::Ns(numbers) => numbers
            .iter()
            .map(|digits| of_number(digits))
            .sum(),
        AttributeValue::B(bytes) => bytes.as_ref().len(),
        AttributeValue::Bs(blobs) => blobs
            .iter()
            .map(|bytes| bytes.as_ref().len())
            .sum(),
        // A boolean or null.
        _ => 1,
    }
}

/// Calls `change` with an item, and with each object in it.
fn each_object(item: &mut Item, change: &mut impl FnMut(&mut Item)) {
    change(item);
    for value in item.values_mut() {
        each_object_in(value, change);
    }
}

fn each_object_in(value: &mut AttributeValue, change: &mut impl FnMut(&mut Item)) {
    match value {
        AttributeValue::M(item) => each_object(item, change),
        AttributeValue::L(values) => {
            for value in values {
                each_object_in(value, change);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_is_the_same_after_its_json() {
        let text = |text: &str| AttributeValue::S(text.to_owned());
        let texts = |texts: [&str; 2]| texts.map(str::to_owned).to_vec();
        let blob = || Blob::new([0, 255]);
        let item = RawItem(Item::from([
            ("pk".to_owned(), text("ORG#1#TASK")),
            ("sk".to_owned(), text("7")),
            ("number".to_owned(), AttributeValue::N("1.50".to_owned())),
            ("yes".to_owned(), AttributeValue::Bool(true)),
            ("nothing".to_owned(), AttributeValue::Null(true)),
            ("texts".to_owned(), AttributeValue::Ss(texts(["a", "b"]))),
            ("numbers".to_owned(), AttributeValue::Ns(texts(["1", "2"]))),
            ("bytes".to_owned(), AttributeValue::B(blob())),
            ("blobs".to_owned(), AttributeValue::Bs(vec![blob()])),
            (
                "list".to_owned(),
                AttributeValue::L(vec![AttributeValue::M(Item::from([(
                    "a".to_owned(),
                    text("ü"),
                )]))]),
            ),
        ]));
        assert_eq!(RawItem::from_json(&item.to_json()), Some(item.clone()));
        // Names 46, key 11, number 3, two of one byte, texts 2, numbers 4, bytes 2 and 2, list 3 +
        // 1 + 3 + 1 + 1 + 2.
        assert_eq!(item.bytes(), 46 + 11 + 3 + 2 + 2 + 4 + 4 + 11);
        assert_eq!(RawItem::from_json(&json!({"pk": {"S": "a"}})), None);
        assert_eq!(RawItem::from_json(&json!({"pk": "a", "sk": "b"})), None);
    }
}
