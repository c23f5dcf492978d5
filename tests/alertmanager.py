"""Has a real Alertmanager send alerts to a running `cargo local`: `python3 tests/alertmanager.py`.

Posts alerts to Alertmanager as Prometheus does, with explicit starts and ends, and waits for Workdesk to
show what they came to. `end_to_end.py` runs the same checks beside its story. Installs the Debian package
`prometheus-alertmanager` unless the program is there.
"""

import contextlib
import datetime
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "infra"))

import tools  # noqa: E402

PACKAGE = "prometheus-alertmanager"
START_SECONDS = 30
STOP_SECONDS = 10
# A notification waits for a flush of its group, and for a cold start of the function.
HEARD_SECONDS = 30

CONFIGURATION = """
route:
  receiver: workdesk
  group_by: [alertname]
  group_wait: 100ms
  group_interval: 500ms
  # Alertmanager forgets a notification after two of these: longer than its restart.
  repeat_interval: 5s
receivers:
  - name: workdesk
    webhook_configs:
      - url: {url}/api/concierge/alerts/alertmanager
        send_resolved: true
        max_alerts: 100
        http_config:
          authorization:
            credentials_file: {token}
"""


def install():
    """Returns the program. Installs its package, without starting its service, unless it is there."""
    found = shutil.which(PACKAGE)
    if found is None and shutil.which("apt-get") is None:
        sys.exit(f"{PACKAGE} is missing: install Alertmanager under this name")
    if found is None:
        tools.install_package(PACKAGE)
    return shutil.which(PACKAGE)


class Alertmanager:
    """An Alertmanager on a port, with its storage in a folder. Restarting it loses the alerts and keeps
    the log of notifications, as a restart in production does."""

    def __init__(self, program, folder, port):
        self.base = f"http://127.0.0.1:{port}"
        self.log = pathlib.Path(folder) / "alertmanager.log"
        self.command = [
            program,
            f"--config.file={folder}/alertmanager.yml",
            f"--storage.path={folder}/storage",
            f"--web.listen-address=127.0.0.1:{port}",
            "--cluster.listen-address=",
            "--log.level=warn",
        ]
        self.process = None

    def start(self):
        with self.log.open("a") as out:
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT
            )
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                self.request("GET", "/-/ready")
                return
            except OSError:
                ended = self.process.poll() is not None
                if ended or time.monotonic() > deadline:
                    raise AssertionError(f"it does not start:\n{self.log.read_text()}") from None
                time.sleep(0.1)

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def request(self, method, path, body=None):
        data = body and json.dumps(body).encode()
        headers = {"content-type": "application/json"}
        request = urllib.request.Request(self.base + path, data, headers, method=method)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=10) as answer:
                return answer.read()
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{method} {path}: {error.code} {error.read()}") from None

    def tell(self, name, start, end=None, **labels):
        """Posts an alert as Prometheus does: firing, or with its end."""
        alert = {
            "labels": {"alertname": name, "severity": "page", **labels},
            "annotations": {"summary": f"{name} since {clock(start)}"},
            "startsAt": instant(start),
            "generatorURL": "http://prometheus.example/graph",
        }
        if end is not None:
            alert["endsAt"] = instant(end)
        self.request("POST", "/api/v2/alerts", [alert])


def instant(seconds):
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC).isoformat()


def clock(seconds):
    return instant(seconds)[11:19]


class Heard:
    """The alerts that Workdesk shows."""

    def __init__(self, api):
        self.api = api

    def of(self, name):
        """Returns the alerts of a name, the oldest start first."""
        rows = self.api.call("GET", "/api/concierge/alerts?limit=100")
        rows = [row for row in rows if row["title"].startswith(f"{name} since ")]
        return sorted(rows, key=lambda row: row["occurredAt"])

    def wait(self, name, expected):
        """Waits until the alerts of a name have these statuses. Returns them."""
        deadline = time.monotonic() + HEARD_SECONDS
        while True:
            rows = self.of(name)
            found = [row["status"] for row in rows]
            if found == expected:
                return rows
            assert time.monotonic() < deadline, f"{name}: {found} instead of {expected}: {rows}"
            time.sleep(0.2)

    def wait_for_more(self, name, count):
        """Waits for a further report of the newest alert of a name."""
        deadline = time.monotonic() + HEARD_SECONDS
        while self.of(name)[-1]["count"] <= count:
            assert time.monotonic() < deadline, f"{name} is not reported again"
            time.sleep(0.2)


def check(client, port):
    """Runs all checks. `client` is signed in, and may record alerts; `port` is free."""
    names = {"name": "alertmanager", "permissions": ["manage_signals"]}
    token = client.call("POST", "/api/tokens", names)["token"]
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="alerts-")))
        (folder / "token").write_text(token)
        configuration = CONFIGURATION.format(url=client.base, token=folder / "token")
        (folder / "alertmanager.yml").write_text(configuration)
        alertmanager = Alertmanager(install(), folder, port)
        stack.callback(lambda: alertmanager.process and alertmanager.stop())
        alertmanager.start()
        try:
            story(alertmanager, Heard(client))
        except BaseException:
            print(alertmanager.log.read_text(errors="replace")[-5_000:], file=sys.stderr)
            raise


def story(alertmanager, heard):
    now = time.time()
    start = now - 600

    print("  alertmanager: firing, resolved, and firing with the same start")
    alertmanager.tell("LinkDown", start, entity_invoice="inv_1", connection="billing")
    [row] = heard.wait("LinkDown", ["open"])
    assert (row["signalType"], row["severity"]) == ("link_down", "critical"), row
    assert row["entities"] == [{"type": "invoice", "id": "inv_1"}], row
    assert row["recordedByMachine"], row
    alertmanager.tell("LinkDown", start, time.time(), entity_invoice="inv_1", connection="billing")
    [row] = heard.wait("LinkDown", ["resolved"])
    assert row["statusBy"] == "report", row
    alertmanager.tell("LinkDown", start, entity_invoice="inv_1", connection="billing")
    [again] = heard.wait("LinkDown", ["open"])
    assert again["id"] == row["id"], (again, row)

    print("  alertmanager: a name in Chinese, long values, and sixty labels")
    pod = "p" * 200
    alertmanager.tell("节点状态", start)
    alertmanager.tell("TooLong", start, entity_pod=pod, **{f"label_{at}": "x" for at in range(60)})
    [row] = heard.wait("节点状态", ["open"])
    assert row["signalType"].startswith("name_"), row
    assert row["labels"]["alertname"] == "节点状态", row
    [row] = heard.wait("TooLong", ["open"])
    assert (len(row["labels"]), row["labels"]["entity_pod"]) == (50, pod), row
    assert "left out" in row["description"], row

    print("  alertmanager: a restart, with alerts of other starts and ends")
    alertmanager.tell("DiskFull", start)
    [row] = heard.wait("DiskFull", ["open"])
    # Alertmanager notes a notification after its answer. A repeated one shows that the first is noted: only
    # then is its end told after a restart.
    heard.wait_for_more("DiskFull", row["count"])
    alertmanager.stop()
    alertmanager.start()
    # Prometheus was restarted, too: an alert that still fires has another start. One has ended.
    alertmanager.tell("LinkDown", now, entity_invoice="inv_1", connection="billing")
    alertmanager.tell("DiskFull", start, time.time())
    alertmanager.tell("节点状态", start)
    rows = heard.wait("LinkDown", ["resolved", "open"])
    assert rows[0]["id"] == again["id"], rows
    heard.wait("DiskFull", ["resolved"])
    [row] = heard.of("节点状态")
    heard.wait_for_more("节点状态", row["count"])
    alertmanager.tell("LinkDown", now, time.time(), entity_invoice="inv_1", connection="billing")
    heard.wait("LinkDown", ["resolved", "resolved"])


def main():
    import end_to_end

    install()
    with end_to_end.running_stack() as stack:
        stack.api.call("POST", "/api/auth/login", end_to_end.LOGIN)
        check(stack.api, end_to_end.free_port())
    print("1 passed, 0 failed")


if __name__ == "__main__":
    main()
