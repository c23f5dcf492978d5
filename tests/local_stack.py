"""Further checks of a running `cargo local`, beside the story of `end_to_end.py`: errors and CORS of the
gateway; with `--watch`, killed functions, and a function that is idle for a long time.
"""

import concurrent.futures
import contextlib
import json
import os
import pathlib
import re
import signal
import time

ORIGIN = "https://app.example"
# Longer than any time limit of a client, gateway or function; the longest is the worker's minute.
IDLE_SECONDS = 70
# Seconds within which a killed function answers with an error, and with success.
AT_ONCE_SECONDS = 2
BACK_SECONDS = 5

GATEWAY_BODY = 10 * 1024 * 1024
LAMBDA_ANSWER = 6_291_556
DESCRIPTION = 50_000


def check(api):
    """Runs the checks of the gateway."""
    unknown_paths_and_methods(api)
    # The gateway decodes paths, and refuses those that it cannot decode.
    refused(api.send("GET", "/api/nothing%zz"), 400, "Bad Request")
    for path in ("/api/tasks/1%23x", "/api/tasks/1%0A", "/api/tasks%5C1", "/api/tasks/%2531"):
        problem(api.send("GET", path), 404, "not_found")
    requests_that_are_too_large(api)
    other_origins(api)
    list_that_is_too_large(api)


def check_watched(api, processes, work):
    """Runs all checks. `processes` lists ids and commands of the stack's processes; `work` runs an
    action, which needs the worker."""
    print("  the function milestones is idle from here on")
    resting = of_function(processes(), "milestones")
    assert resting, processes()
    since = time.monotonic()
    check(api)
    killed_function(api, processes)
    killed_worker(processes, work)
    rested_function(api, processes, resting, since)


def of_function(processes, name):
    """Returns the ids of a function's processes."""
    return {one for one, command in processes.items() if command.endswith(f"/{name}")}


def problem(answer, status, code):
    """Checks that an answer is a problem of the service."""
    assert answer.status == status, answer
    assert answer.headers["content-type"] == "application/problem+json", answer
    body = json.loads(answer.text)
    assert (body["status"], body["code"]) == (status, code), body
    assert body["requestId"] == answer.headers["x-request-id"], answer
    assert answer.headers["cache-control"] == "no-store", answer
    assert answer.headers["x-content-type-options"] == "nosniff", answer


def refused(answer, status, message):
    """Checks that an answer is an error of API Gateway itself."""
    assert answer.status == status, answer
    assert json.loads(answer.text) == {"message": message}, answer


def unknown_paths_and_methods(api):
    print("  an unknown path and an unknown method")
    for path in ("/nothing", "/api/nothing", "/api/tasks/"):
        problem(api.send("GET", path), 404, "not_found")
    # `%FF` is not UTF-8, so no route or record has such a name.
    for path in ("/%FF", "/api/%FF", "/api/docs/%FF", "/api/tasks%FF/1"):
        problem(api.send("GET", path), 404, "not_found")
    for method, path, allowed in (
        ("PUT", "/api/tasks", {"GET", "HEAD", "POST"}),
        ("DELETE", "/api/tasks/reorder", {"PATCH"}),
    ):
        answer = api.send(method, path)
        problem(answer, 405, "method_not_allowed")
        assert set(answer.headers["allow"].split(",")) == allowed, answer.headers


def requests_that_are_too_large(api):
    print("  bodies that are too large for the gateway and for the service")
    headers = {"content-type": "application/json"}
    for size in (GATEWAY_BODY + 1, LAMBDA_ANSWER):
        answer = api.send("POST", "/api/tasks", b" " * size, headers)
        refused(answer, 413, "Request Entity Too Large")
    problem(api.send("POST", "/api/tasks", b" " * 300_000, headers), 413, "body_too_large")


def other_origins(api):
    print("  pages of a listed and an unlisted origin")
    problem(api.send("OPTIONS", "/api/auth/login"), 405, "method_not_allowed")
    listed_origin(api)
    unlisted_origins(api)


def cors_list(name):
    """Returns a list of the template's CORS configuration as a header value."""
    template = pathlib.Path(__file__).resolve().parent.parent / "infra" / "template.yaml"
    [names] = re.findall(rf"^ +{name}: \[(.*)\]$", template.read_text(), re.MULTILINE)
    return names.replace(" ", "")


def listed_origin(api):
    """Checks that a listed origin gets the template's CORS headers, for known and unknown paths."""
    for path in ("/api/tasks/1", "/api/docs", "/api/nothing"):
        asked = {"access-control-request-method": "PATCH", "origin": ORIGIN}
        told = api.send("OPTIONS", path, headers=asked)
        assert (told.status, told.text) == (204, ""), told
        expected = {
            "access-control-allow-origin": ORIGIN,
            "access-control-allow-credentials": "true",
            "access-control-allow-methods": cors_list("AllowMethods"),
            "access-control-allow-headers": cors_list("AllowHeaders"),
            "access-control-max-age": "3600",
        }
        for name, value in expected.items():
            assert told.headers[name] == value, (path, name, told.headers[name])
    read = api.send("GET", "/api/auth/session", headers={"origin": ORIGIN})
    assert read.headers["access-control-allow-origin"] == ORIGIN, read.headers
    exposed = read.headers["access-control-expose-headers"]
    assert exposed == cors_list("ExposeHeaders"), exposed


def unlisted_origins(api):
    asked = {"access-control-request-method": "PATCH"}
    for origin in ("https://evil.example", f"{ORIGIN}.evil.example", "null"):
        for method in ("OPTIONS", "GET"):
            answer = api.send(method, "/api/auth/session", headers={"origin": origin, **asked})
            cors = [name for name in answer.headers if name.lower().startswith("access-control")]
            assert not cors, (method, origin, cors)


def list_that_is_too_large(api):
    print("  a list that is larger than Lambda's largest answer")
    # A quote has two characters in JSON, and four in the JSON string that the function returns.
    task = {"title": "Quotes", "description": '"' * DESCRIPTION, "projectId": 1}
    many = LAMBDA_ANSWER // (4 * DESCRIPTION) + 1
    created = [api.call("POST", "/api/tasks", task)["id"] for _ in range(many)]
    pages = list(walk(api, "/api/projects/1/tasks"))
    assert len(pages) > 1, [len(page) for page in pages]
    found = [row["id"] for page in pages for row in page]
    assert len(found) == len(set(found)), found
    assert set(created) <= set(found), (created, found)
    for one in created:
        api.call("DELETE", f"/api/tasks/{one}", expect=204)
    [left] = walk(api, "/api/projects/1/tasks")
    assert {row["id"] for row in left} == set(found) - set(created), left


def walk(api, path):
    """Yields the pages of a list, and checks that each is below Lambda's limit."""
    while path:
        answer = api.send("GET", path)
        assert answer.status == 200, answer
        # The function returns the body as a JSON string.
        size = len(json.dumps(answer.text, ensure_ascii=False).encode())
        assert size < LAMBDA_ANSWER, (path, size)
        yield json.loads(answer.text)
        link = answer.headers["link"]
        path = link and re.fullmatch(f'<{re.escape(api.base)}(/.+)>; rel="next"', link)[1]


def killed_function(api, processes):
    print("  a function whose processes are killed during a request")
    killed = of_function(processes(), "tasks")
    assert killed, processes()
    with concurrent.futures.ThreadPoolExecutor() as pool:
        # Stopped processes take the request and do not answer it.
        signal_all(killed, signal.SIGSTOP)
        request = pool.submit(api.send, "GET", "/api/tasks")
        time.sleep(0.5)
        assert not request.done(), request.result()
        signal_all(killed, signal.SIGKILL)
        since = time.monotonic()
        answer = request.result()
    problem(answer, 503, "unavailable")
    assert answer.headers["retry-after"] == "1", answer.headers
    assert time.monotonic() - since < AT_ONCE_SECONDS, time.monotonic() - since
    while (answer := api.send("GET", "/api/tasks")).status != 200:
        problem(answer, 503, "unavailable")
        assert time.monotonic() - since < BACK_SECONDS, answer
        time.sleep(0.1)
    print(f"    answered again after {time.monotonic() - since:.1f} s")
    assert not killed & of_function(processes(), "tasks")


def killed_worker(processes, work):
    print("  the worker's processes are killed")
    killed = of_function(processes(), "action-worker")
    assert killed, processes()
    signal_all(killed, signal.SIGKILL)
    since = time.monotonic()
    while len(of_function(processes(), "action-worker") - killed) < len(killed):
        assert time.monotonic() - since < BACK_SECONDS, processes()
        time.sleep(0.1)
    work()


def rested_function(api, processes, resting, since):
    left = max(0, IDLE_SECONDS - (time.monotonic() - since))
    print(f"  no requests for another {left:.0f} s", flush=True)
    time.sleep(left)
    assert of_function(processes(), "milestones") == resting, processes()
    called = time.monotonic()
    api.call("GET", "/api/projects/1/milestones")
    assert time.monotonic() - called < AT_ONCE_SECONDS, time.monotonic() - called


def signal_all(processes, number):
    for process in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, number)
