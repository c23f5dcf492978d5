//! A table on a disk that is full from time to time.
//!
//! The engine runs in a process of its own. While the disk counts as full, the files of that
//! process may not grow beyond a limit: the nearest to a full disk without another disk.

use std::{process::Stdio, time::Duration};

use local::engines::{Engines, Options, TableEngine};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, BufReader},
    process::{Child, Command},
    task::JoinHandle,
};

/// Time with a full disk, and time with room.
const FULL: Duration = Duration::from_millis(60);
const ROOM: Duration = Duration::from_millis(240);

/// The engine's process; it ends with this.
pub struct Disk {
    url: String,
    engine: Child,
    fills: Option<JoinHandle<()>>,
}

impl Disk {
    /// Starts the engine on a new file.
    pub async fn start() -> Self {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/fault-campaign/disk");
        // There may be none.
        let _ = std::fs::remove_dir_all(folder);
        let file = format!("{folder}/table.sqlite");
        // A process that writes beyond the limit is told so instead of being ended.
        let mut engine = Command::new("sh")
            .args(["-c", "trap '' XFSZ; exec \"$0\" --engine \"$1\""])
            .arg(std::env::current_exe().unwrap())
            .arg(&file)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut url = String::new();
        let output = engine.stdout.take().unwrap();
        BufReader::new(output)
            .read_line(&mut url)
            .await
            .unwrap();
        Self {
            url: url.trim().to_owned(),
            engine,
            fills: None,
        }
    }

    /// From now on the disk is full from time to time.
    pub fn fill(&mut self) {
        let process = self.engine.id().unwrap();
        self.fills = Some(tokio::spawn(async move {
            loop {
                tokio::time::sleep(ROOM).await;
                limit(process, "1").await;
                tokio::time::sleep(FULL).await;
                limit(process, "unlimited").await;
            }
        }));
    }

    /// Where the table is.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// From now on there is room.
    pub async fn end(&self) {
        self.stop();
        if let Some(process) = self.engine.id() {
            limit(process, "unlimited").await;
        }
    }

    fn stop(&self) {
        if let Some(fills) = &self.fills {
            fills.abort();
        }
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Sets the most bytes of a file of a process.
async fn limit(process: u32, bytes: &str) {
    let limited = Command::new("prlimit")
        .arg(format!("--pid={process}"))
        .arg(format!("--fsize={bytes}:unlimited"))
        .status();
    let holds = limited
        .await
        .is_ok_and(|status| status.success());
    assert!(holds, "a full disk needs prlimit, of util-linux");
}

/// Runs an engine on a file until standard input ends, and says where it is.
pub async fn serve(file: &str) {
    let engines = Engines::start(Options {
        table_engine: TableEngine::File(file.into()),
        ..Options::default()
    });
    let engines = engines.await.unwrap();
    println!("{}", engines.dynamodb_url());
    let mut nothing = Vec::new();
    tokio::io::stdin()
        .read_to_end(&mut nothing)
        .await
        .unwrap();
    engines.stop().await;
}
