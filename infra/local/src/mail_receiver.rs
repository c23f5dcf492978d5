//! A receiver of mail: SMTP without TLS, for this machine. It keeps mails in memory, and may be
//! told to fail.

use std::{
    collections::BTreeMap,
    fmt, io,
    sync::{Arc, Mutex, PoisonError},
};

use mailparse::{MailHeaderMap, ParsedMail};
use serde::Serialize;
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
};

use crate::background::{Background, listen};

/// The most bytes of a mail.
const LONGEST: usize = 1_000_000;

/// The most mails that are kept.
const KEPT: usize = 1_000;

/// A mail that was received.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Received {
    /// Recipients.
    pub to: Vec<String>,
    pub subject: String,
    pub text: String,
    pub html: String,
    /// Headers by their names in lower case, decoded.
    pub headers: BTreeMap<String, String>,
}

/// The mails that a receiver keeps. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct MailInbox(Arc<Mutex<Vec<Received>>>);

impl MailInbox {
    /// Returns the mails, newest first.
    pub fn newest_first(&self) -> Vec<Received> {
        let mails = self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        mails.iter().rev().cloned().collect()
    }

    fn add(&self, mail: Received) {
        let mut mails = self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if mails.len() == KEPT {
            mails.remove(0);
        }
        mails.push(mail);
    }
}

/// A moment at which a receiver may fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    SignIn,
    Recipient,
    /// The content has come, and is not kept yet.
    Content,
    /// The content is kept, and the answer is to come.
    Kept,
}

/// The behaviour of a receiver at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MailVerdict {
    Accept,
    /// Sends this, such as `451 4.3.0 Later`.
    Answer(&'static str),
    /// Cuts the connection.
    Cut,
}

/// Decides about a mail to a recipient at a moment. The recipient is empty at the sign-in.
type Judge = dyn Fn(&str, Moment) -> MailVerdict + Send + Sync;

/// A running receiver. Dropping it stops it.
pub struct MailReceiver {
    url: String,
    inbox: MailInbox,
    server: Background,
}

impl fmt::Debug for MailReceiver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MailReceiver")
            .field("url", &self.url)
            .finish_non_exhaustive()
    }
}

impl MailReceiver {
    /// Starts a receiver on a free port, which accepts every mail.
    pub fn start() -> io::Result<Self> {
        Self::judging(|_, _| MailVerdict::Accept)
    }

    /// Starts a receiver on a free port.
    pub fn judging(
        judge: impl Fn(&str, Moment) -> MailVerdict + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let (listener, address) = listen(0)?;
        let inbox = MailInbox::default();
        let kept = inbox.clone();
        let judge: Arc<Judge> = Arc::new(judge);
        let server = Background::start("mail-receiver", move |stopping| async move {
            let serve = async {
                let Ok(listener) = TcpListener::from_std(listener) else {
                    return;
                };
                while let Ok((stream, _)) = listener.accept().await {
                    let session = Session {
                        stream: BufReader::new(stream),
                        inbox: kept.clone(),
                        judge: Arc::clone(&judge),
                    };
                    // An error means that the client or the receiver cut the connection.
                    tokio::spawn(async move { session.serve().await.ok() });
                }
            };
            tokio::select! {
                () = serve => {}
                () = stopping.wait() => {}
            }
        })?;
        Ok(Self {
            url: format!("smtp://{address}"),
            inbox,
            server,
        })
    }

    /// Returns the URL, without user and password.
    pub fn url(&self) -> &str {
        &self.url
    }

    pub const fn inbox(&self) -> &MailInbox {
        &self.inbox
    }

    /// Stops the receiver and waits until its port is released.
    pub async fn stop(self) {
        self.server.stop().await;
    }
}

/// A connection.
struct Session {
    stream: BufReader<TcpStream>,
    inbox: MailInbox,
    judge: Arc<Judge>,
}

impl Session {
    async fn serve(mut self) -> io::Result<()> {
        let mut to = Vec::new();
        self.answer("220 localhost ESMTP")
            .await?;
        loop {
            let line = self.line().await?;
            let line = String::from_utf8_lossy(&line)
                .trim_end()
                .to_owned();
            let verb = line
                .split([' ', ':'])
                .next()
                .unwrap_or_default();
            match verb.to_ascii_uppercase().as_str() {
                "EHLO" => {
                    let answer = "250-localhost\r\n250-8BITMIME\r\n250 AUTH PLAIN";
                    self.answer(answer).await?;
                }
                "AUTH" => {
                    self.judged("", Moment::SignIn, "235 2.7.0 Welcome")
                        .await?;
                }
                "MAIL" | "RSET" => {
                    to.clear();
                    self.answer("250 2.0.0 OK").await?;
                }
                "RCPT" => {
                    let address = line
                        .split(['<', '>'])
                        .nth(1)
                        .unwrap_or_default()
                        .to_owned();
                    if self
                        .accepts(&address, Moment::Recipient)
                        .await?
                    {
                        to.push(address);
                        self.answer("250 2.1.5 OK").await?;
                    }
                }
                "DATA" => {
                    self.answer("354 Go on").await?;
                    let content = self.content().await?;
                    let first = to.first().cloned().unwrap_or_default();
                    if self
                        .accepts(&first, Moment::Content)
                        .await?
                    {
                        self.inbox
                            .add(read(&content, std::mem::take(&mut to))?);
                        self.judged(&first, Moment::Kept, "250 2.0.0 Kept")
                            .await?;
                    }
                }
                "NOOP" => self.answer("250 2.0.0 OK").await?,
                "QUIT" => return self.answer("221 2.0.0 Bye").await,
                _ => {
                    self.answer("502 5.5.2 Not known")
                        .await?;
                }
            }
        }
    }

    async fn judged(&mut self, to: &str, moment: Moment, answer: &str) -> io::Result<()> {
        if self.accepts(to, moment).await? {
            self.answer(answer).await?;
        }
        Ok(())
    }

    /// Returns true if the receiver accepts. Otherwise it has answered. An error cuts the
    /// connection.
    async fn accepts(&mut self, to: &str, moment: Moment) -> io::Result<bool> {
        match (self.judge)(to, moment) {
            MailVerdict::Accept => Ok(true),
            MailVerdict::Answer(answer) => self
                .answer(answer)
                .await
                .map(|()| false),
            MailVerdict::Cut => Err(io::ErrorKind::ConnectionAborted.into()),
        }
    }

    async fn answer(&mut self, line: &str) -> io::Result<()> {
        self.stream
            .get_mut()
            .write_all(format!("{line}\r\n").as_bytes())
            .await
    }

    async fn line(&mut self) -> io::Result<Vec<u8>> {
        let mut line = Vec::new();
        self.stream
            .read_until(b'\n', &mut line)
            .await?;
        match line.len() {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(line),
        }
    }

    /// Reads the content up to the line with a dot alone. Other lines lose the dot before them.
    async fn content(&mut self) -> io::Result<Vec<u8>> {
        let mut content = Vec::new();
        loop {
            let line = self.line().await?;
            if line == b".\r\n" {
                return Ok(content);
            }
            content.extend_from_slice(line.strip_prefix(b".").unwrap_or(&line));
            if content.len() > LONGEST {
                return Err(io::ErrorKind::FileTooLarge.into());
            }
        }
    }
}

fn read(content: &[u8], to: Vec<String>) -> io::Result<Received> {
    let mail = mailparse::parse_mail(content).map_err(io::Error::other)?;
    let headers = mail.headers.iter();
    let headers = headers.map(|header| (header.get_key().to_ascii_lowercase(), header.get_value()));
    let part = |kind| part(&mail, kind).unwrap_or_default();
    Ok(Received {
        to,
        subject: mail
            .headers
            .get_first_value("Subject")
            .unwrap_or_default(),
        text: part("text/plain"),
        html: part("text/html"),
        headers: headers.collect(),
    })
}

/// The first part of a type, decoded.
fn part(mail: &ParsedMail<'_>, kind: &str) -> Option<String> {
    if mail.ctype.mimetype == kind {
        return mail.get_body().ok();
    }
    mail.subparts
        .iter()
        .find_map(|subpart| part(subpart, kind))
}
