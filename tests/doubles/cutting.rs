//! A proxy that takes note of each call, and cuts some connections after the answer was made.

use std::sync::{Arc, Mutex};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

/// A call that went through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Method and path.
    pub line: String,
    /// Its idempotency key; empty where it has none.
    pub key: String,
    /// The system's answers, arrived or not.
    pub status: u16,
    /// The system said that it was its answer to an earlier call.
    pub is_replay: bool,
}

/// Connections that are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cuts {
    /// None.
    None,
    /// The connection of the first call with a key, and of every call without one.
    First,
    /// Every connection.
    All,
}

/// The proxy.
#[derive(Clone, Debug)]
pub struct Cutting {
    pub url: String,
    calls: Arc<Mutex<Vec<Call>>>,
    cuts: Arc<Mutex<Cuts>>,
}

impl Cutting {
    /// Stands before the system at that URL.
    pub async fn before(system: &str, cuts: Cuts) -> Self {
        let system = system
            .strip_prefix("http://")
            .unwrap()
            .to_owned();
        let listener = TcpListener::bind("127.0.0.1:0")
            .await
            .unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let calls = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&calls);
        let cuts = Arc::new(Mutex::new(cuts));
        let now = Arc::clone(&cuts);
        tokio::spawn(async move {
            loop {
                let (client, _) = listener.accept().await.unwrap();
                let system = system.clone();
                let noted = Arc::clone(&noted);
                let cuts = *now.lock().unwrap();
                tokio::spawn(async move { pass(client, &system, &noted, cuts).await });
            }
        });
        Self { url, calls, cuts }
    }

    /// Cuts these connections from now on.
    pub fn cuts(&self, cuts: Cuts) {
        *self.cuts.lock().unwrap() = cuts;
    }

    /// The statuses of the calls so far, and if each was a replay; forgets them.
    pub fn takes_statuses(&self) -> Vec<(u16, bool)> {
        let calls = self.takes().into_iter();
        calls
            .map(|call| (call.status, call.is_replay))
            .collect()
    }

    /// The calls so far; forgets them.
    pub fn takes(&self) -> Vec<Call> {
        std::mem::take(&mut self.calls.lock().unwrap())
    }
}

/// One call, since a worker opens a connection for each.
async fn pass(mut client: TcpStream, system: &str, noted: &Mutex<Vec<Call>>, cuts: Cuts) {
    let Some(request) = whole_request(&mut client).await else {
        return;
    };
    let mut upstream = TcpStream::connect(system)
        .await
        .unwrap();
    // The system is to end the connection after its answer.
    let text = request.replacen("\r\n", "\r\nConnection: close\r\n", 1);
    upstream
        .write_all(text.as_bytes())
        .await
        .unwrap();
    let mut answer = Vec::new();
    upstream
        .read_to_end(&mut answer)
        .await
        .unwrap();
    let head = String::from_utf8_lossy(&answer);
    let line = request
        .lines()
        .next()
        .unwrap_or_default();
    let call = Call {
        line: line
            .trim_end_matches(" HTTP/1.1")
            .to_owned(),
        key: header(&request, "idempotency-key").to_owned(),
        status: head
            .split(' ')
            .nth(1)
            .unwrap()
            .parse()
            .unwrap(),
        is_replay: header(&head, "idempotent-replayed") == "true",
    };
    let is_first = {
        let mut noted = noted.lock().unwrap();
        let seen = noted
            .iter()
            .any(|earlier| earlier.key == call.key);
        noted.push(call.clone());
        call.key.is_empty() || !seen
    };
    if cuts == Cuts::None || (cuts == Cuts::First && !is_first) {
        // Who has given up meanwhile hears nothing.
        let _ = client.write_all(&answer).await;
    }
}

/// The head and the body of a request; none of a connection that ends before.
async fn whole_request(client: &mut TcpStream) -> Option<String> {
    let mut read = Vec::new();
    loop {
        if let Ok(text) = std::str::from_utf8(&read)
            && let Some((head, body)) = text.split_once("\r\n\r\n")
        {
            let length = header(head, "content-length")
                .parse()
                .unwrap_or(0);
            if body.len() >= length {
                return Some(text.to_owned());
            }
        }
        let mut more = [0; 4_096];
        match client.read(&mut more).await {
            Ok(count) if count > 0 => read.extend_from_slice(&more[..count]),
            _ => return None,
        }
    }
}

fn header<'a>(message: &'a str, name: &str) -> &'a str {
    let lines = message
        .lines()
        .take_while(|line| !line.is_empty());
    let mut pairs = lines.filter_map(|line| line.split_once(':'));
    let pair = pairs.find(|(key, _)| key.eq_ignore_ascii_case(name));
    pair.map_or("", |(_, value)| value.trim())
}
