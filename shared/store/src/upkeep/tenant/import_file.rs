//! The file of an import: a header and items, read line by line.

use std::io::{BufRead, Seek, SeekFrom};

use table::RawItem;

use crate::Result;

use super::{ExportHeader, ImportError, Line};

/// The most bytes of a line: in JSON, with the type of each value, an item of 400 KB may take ten
/// times its bytes.
const LONGEST_LINE: usize = 4 * 1_024 * 1_024;

/// A file that is read twice: it is checked as a whole before the first write.
pub(super) struct ImportFile<R> {
    lines: R,
    /// The number of the line that was read last.
    place: usize,
    line: Vec<u8>,
}

impl<R: BufRead + Seek> ImportFile<R> {
    pub(super) const fn new(lines: R) -> Self {
        Self {
            lines,
            place: 0,
            line: Vec::new(),
        }
    }

    /// Reads the header, from the beginning of the file.
    pub(super) fn header(&mut self) -> Result<ExportHeader, ImportError> {
        self.lines.seek(SeekFrom::Start(0))?;
        self.place = 0;
        let header = self.next_line()?;
        let Some(header) = header else {
            return Err(ImportError::line(1, "the file is empty"));
        };
        let header: ExportHeader = serde_json::from_slice(header)
            .map_err(|_| ImportError::line(1, "it is not the header of an export"))?;
        if (header.format.as_str(), header.version) != (ExportHeader::FORMAT, ExportHeader::VERSION)
        {
            return Err(ImportError::Format(header.format, header.version));
        }
        Ok(header)
    }

    /// Reads the next item, with the number of its line and its kind. `None` at the end of the
    /// file.
    pub(super) fn next_item(&mut self) -> Result<Option<(usize, String, RawItem)>, ImportError> {
        let place = self.place + 1;
        let Some(line) = self.next_line()? else {
            return Ok(None);
        };
        let line: Option<Line> = serde_json::from_slice(line).ok();
        let item = line.and_then(|Line { kind, item }| Some((kind, RawItem::from_json(&item)?)));
        let (kind, item) =
            item.ok_or_else(|| ImportError::line(place, "it is not an item of an export"))?;
        Ok(Some((place, kind, item)))
    }

    fn next_line(&mut self) -> Result<Option<&[u8]>, ImportError> {
        self.line.clear();
        let bound = u64::try_from(LONGEST_LINE).unwrap_or(u64::MAX);
        let mut bounded = std::io::Read::take(&mut self.lines, bound + 1);
        if bounded.read_until(b'\n', &mut self.line)? == 0 {
            return Ok(None);
        }
        self.place += 1;
        if self.line.len() > LONGEST_LINE {
            let why = format!(
                "it is longer than {LONGEST_LINE} bytes. An item has at most {} bytes",
                RawItem::MOST
            );
            return Err(ImportError::line(self.place, why));
        }
        Ok(Some(&self.line))
    }
}
