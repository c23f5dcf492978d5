//! Ids of writes. An item has that of its last write, and so has each change of the table's stream.

use model::base::random;

tokio::task_local! {
    /// The id of the request whose work runs.
    static REQUEST: String;
}

/// The characters that tell two writes of a request apart.
const OF_ONE: usize = 8;

/// Runs the work of a request, whose id its writes name.
pub async fn of_request<F: Future>(id: &str, work: F) -> F::Output {
    REQUEST.scope(id.to_owned(), work).await
}

/// Returns a new id of a write: the id of its request, a dot, and a random part. Work of no request
/// has a random id. The random part tells a retry of the write from the write of another client.
pub fn new_write_id() -> String {
    let random = random::token();
    let of_request = |id: &String| format!("{id}.{}", &random[..OF_ONE]);
    let of_request = REQUEST.try_with(of_request).ok();
    of_request.unwrap_or(random)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn ids_begin_with_the_request_and_differ() {
        let ids = of_request("JKJaXmPLvHcESHA=", async {
            [new_write_id(), new_write_id()]
        });
        let [first, second] = ids.await;
        assert_ne!(first, second);
        for id in [first, second] {
            let random = id
                .strip_prefix("JKJaXmPLvHcESHA=.")
                .unwrap();
            assert_eq!(random.len(), OF_ONE);
        }
        assert_eq!(new_write_id().len(), random::token().len());
    }
}
