//! Checks and choice of ports.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    time::Duration,
};

use super::error::Error;

/// Fails if the port is in use. `flag` is the option for another port.
pub(crate) fn check_free(port: u16, flag: &'static str) -> Result<(), Error> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    // Some systems let this address be bound while another process listens on all addresses.
    let answers = TcpStream::connect_timeout(&address, Duration::from_millis(200)).is_ok();
    if answers {
        return Err(Error::PortTaken { port, flag });
    }
    match TcpListener::bind(address) {
        Ok(_) => Ok(()),
        Err(_) => Err(Error::PortTaken { port, flag }),
    }
}

/// Returns a port that is free at the moment.
pub(crate) fn free() -> io::Result<u16> {
    let address = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?;
    Ok(address.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_taken_port_is_named_with_the_flag_that_changes_it() {
        for host in [Ipv4Addr::LOCALHOST, Ipv4Addr::UNSPECIFIED] {
            let holder = TcpListener::bind((host, 0)).unwrap();
            let port = holder.local_addr().unwrap().port();
            let error = check_free(port, "--port")
                .unwrap_err()
                .to_string();
            assert!(
                error.contains(&port.to_string()) && error.contains("--port"),
                "{error}"
            );
        }
    }

    #[test]
    fn a_released_port_is_free() {
        let holder = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = holder.local_addr().unwrap().port();
        drop(holder);
        assert!(check_free(port, "--port").is_ok());
    }
}
