/** The client of the API. All requests of the desk go through it, such as
 * `const { data } = await patch("/api/tasks/{id}", { id: 7 }, { title: "…" }, { match: task })`.
 *
 * Parameters fill the path's braces; others become the query, a list by repetition. Types are the document's.
 * Failures throw a `Problem`; an aborted request throws `AbortError`.
 * Each POST has an `Idempotency-Key`; after a lost connection the same request has the same key again.
 * 429, 503 and a lost connection are repeated, by `Retry-After` or with growing pauses, five times.
 * A 401 and `sign_in_again` wait for the sign-in (`onUnauthenticated`) and are then repeated.
 * Each request names the user whom the page shows. The service refuses it once another one has signed in. */
/** @import { paths, Fault } from "workdesk" */

/** @typedef {"get" | "post" | "put" | "patch" | "delete"} Method */
/** @template {Method} M @typedef {{ [P in keyof paths]:
 *   paths[P] extends Record<M, { responses: any }> ? P : never }[keyof paths]} PathOf */
/** @template {keyof paths} P @template {Method} M
 * @typedef {paths[P][M] extends { parameters: { path: infer A } } ? A : {}} InPath */
/** @template {keyof paths} P @template {Method} M
 * @typedef {InPath<P, M> & (paths[P][M] extends { parameters: { query?: infer Q } }
 *   ? [Q] extends [undefined] ? {} : Omit<Partial<Q>, keyof InPath<P, M>> : {})} ParametersOf */
/** @template T @typedef {T extends { content: { "application/json": infer J } } ? J : undefined} Json */
/** @template {keyof paths} P @template {Method} M
 * @typedef {paths[P][M] extends { requestBody: infer B } ? Json<B> : undefined} BodyOf */
/** @template {keyof paths} P @template {Method} M
 * @typedef {paths[P][M] extends { responses: { 200: infer R } } ? Json<R> : undefined} ResultOf */
/** @template {Method} M
 * @typedef {<P extends PathOf<M>>(path: P, parameters: ParametersOf<P, M>, body?: BodyOf<P, M>,
 *   options?: Options) => Promise<Answer<ResultOf<P, M>>>} Write */
/** @template {Method} M
 * @typedef {<P extends PathOf<M>>(path: P, parameters: ParametersOf<P, M>, options?: Options) =>
 *   Promise<Answer<ResultOf<P, M>>>} Bare */
/** @typedef {object} Options
 * @property {AbortSignal} [signal] the view's: aborts the request when the view closes
 * @property {{ version: number }} [match] the record as it was read, for `If-Match`
 * @property {string} [list] the list that reads the record after a 412, for one that has no read of its own
 * @property {boolean} [absent] there must be no record yet @property {boolean} [quiet] shows no bar
 * @property {boolean} [keepalive] outlives the page
 * @property {boolean} [anyone] whoever is signed in, also another user than the page shows */
/** `next`: the path of a list's next page. @template R @typedef {{ data: R, next: string | null }} Answer */

const PAUSES = [0.5, 1, 2, 4, 8]; // Seconds between attempts.
const PATIENCE_MS = 35_000; // The longest wait for an answer: a little more than the gateway's.
const CLOCK_MS = 5_000; // A clock that differs by less is right.
const LONGEST_PAUSE = 60; // Seconds. A longer `Retry-After` is told to the user instead.
const PASSING = ["request_under_way", "concurrent_change", "rate_limited", "unavailable", "no_answer"];
const OPEN = /^\/api\/auth\/(login|forgot|reset|accept|email\/confirm)$/; // Paths that need no session.

/** A refusal of the API, or no answer at all. */
export class Problem extends Error {
  /** The record as it is now, after a 412. @type {any} */
  current = undefined;

  /** @param {number} status 0: no answer @param {any} body @param {number} [retryAfter] seconds */
  constructor(status, body, retryAfter = 0) {
    super(body.detail ?? body.message ?? `The server answered ${status}.`);
    this.status = status;
    this.code = body.code ?? { 429: "rate_limited", 503: "unavailable" }[status] ?? "";
    this.detail = this.message;
    this.retryAfter = retryAfter;
    this.retry = "Try again"; // The label of what tries again.
    this.faults = /** @type {Fault[]} */ (body.errors ?? []);
  }

  /** The fault of a field of the body, or "". @param {string} name */
  faultOf(name) {
    return this.faults.find(({ pointer }) => pointer.split("/")[1] === name)?.detail ?? "";
  }
}

/** Keys of creates whose outcome is not known, by method, address and body. @type {Map<string, string>} */
const keys = new Map();
let signIn = async (/** @type {Problem} */ _problem) => {};
let activity = (/** @type {{ busy: boolean, waiting: boolean }} */ _state) => {};
let becameOther = (/** @type {Problem} */ _problem) => {};
let [busy, waiting, signIns] = [0, 0, 0];
let shownUser = 0; // The id of the user whom the page shows; 0 before the sign-in.
let ahead = 0; // Milliseconds that the server's clock is ahead of the browser's.
/** Sets the sign-in that a 401 and `sign_in_again` wait for. @param {typeof signIn} wait */
export const onUnauthenticated = (wait) => void (signIn = wait);
/** Sets the listener for a session of another user than the page's. @param {typeof becameOther} listener */
export const onOtherUser = (listener) => void (becameOther = listener);
/** Has all further requests name the user whom the page shows. @param {number} id */
export const showsUser = (id) => void (shownUser = id);
/** The present instant by the server's clock, in milliseconds. */
export const now = () => Date.now() + ahead;
/** Sets the listener: is a request under way, and does one wait? @param {typeof activity} listener */
export const onActivity = (listener) => void (activity = listener);

/** @param {Method} method @returns {Write<any>} */
const writes = (method) => (path, parameters, body, options) =>
  exchange(method, addressOf(path, parameters), body, options);
export const post = /** @type {Write<"post">} */ (writes("post"));
export const put = /** @type {Write<"put">} */ (writes("put"));
export const patch = /** @type {Write<"patch">} */ (writes("patch"));
/** @type {Bare<"delete">} */
export const remove = (path, of, options) => exchange("delete", addressOf(path, of), undefined, options);
/** @type {Bare<"get">} */
export const get = (path, of, options) => more(addressOf(path, of), options);
/** Reads the next page of a list. @param {string} next @param {Options} [options] */
export const more = (next, options) => reading(exchange("get", next, undefined, options));

/** Reads under way, and views that open. @type {Set<Promise<unknown>>} */
const readings = new Set();

/** Has `afterReadings` wait for this, too. @template T @param {Promise<T>} reading */
export function reading(reading) {
  const end = () => readings.delete(reading);
  readings.add(reading);
  reading.then(end, end);
  return reading;
}

/** Resolves when the present readings have ended, and those who asked have dealt with them. */
export const afterReadings = () => Promise.allSettled(readings).then(() => pause(0));

/** Reads all pages of a list.
 * @type {<P extends PathOf<"get">>(path: P, parameters: ParametersOf<P, "get">, options?: Options) =>
 *   Promise<ResultOf<P, "get">>} */
export async function all(path, parameters, options) {
  const rows = /** @type {any} */ ([]);
  for (let page = await get(path, parameters, options); ; page = await more(page.next, options)) {
    rows.push(.../** @type {any} */ (page.data));
    if (!page.next) return rows;
  }
}

function addressOf(/** @type {string} */ path, /** @type {object} */ parameters) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (path.includes(`{${name}}`)) path = path.replace(`{${name}}`, encodeURIComponent(value));
    else for (const one of [value ?? []].flat()) query.append(name, one);
  }
  return query.size ? `${path}?${query}` : path;
}

/** Sends a request until it has an answer to show.
 * @param {Method} method @param {string} address @param {unknown} body @param {Options} [options]
 * @returns {Promise<Answer<any>>} */
async function exchange(method, address, body, options = {}) {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const signature = `${method} ${address} ${text}`;
  const open = OPEN.test(address);
  if (method === "post" && !open && !keys.has(signature)) {
    keys.set(signature, crypto.getRandomValues(new Uint32Array(4)).join("-"));
  }
  const headers = { ...(text !== undefined && { "content-type": "application/json" }),
    ...(options.absent && { "if-none-match": "*" }),
    ...(options.match && { "if-match": `"${options.match.version}"` }),
    ...(keys.has(signature) && { "idempotency-key": keys.get(signature) }),
    ...(shownUser && !options.anyone && { "workdesk-user": `${shownUser}` }) };
  const tell = (/** @type {number} */ begun, /** @type {number} */ waits) => {
    if (options.quiet) return;
    [busy, waiting] = [busy + begun, waiting + waits];
    activity({ busy: busy > 0, waiting: waiting > 0 });
  };
  tell(1, 0);
  try {
    for (let attempt = 0, lost = false; ; ) {
      const before = signIns;
      const answer = await once(method, address, text, headers, options);
      if (!(answer instanceof Problem)) {
        keys.delete(signature);
        return answer;
      }
      if (["unauthenticated", "sign_in_again"].includes(answer.code) && !open) {
        // A request from before a sign-in needs no other one.
        if (before === signIns) await signIn(answer).then(() => (signIns += 1));
        continue;
      }
      if (answer.code === "other_user") {
        // The service's words are for programs.
        answer.detail = "Another user has signed in in this browser. Nothing was sent.";
        becameOther(answer);
      }
      if (lost && answer.status === 404 && method === "delete") return { data: undefined, next: null };
      if (answer.status === 412) {
        const data = (answer.current = await current(address, options.list));
        // The first attempt was done, and its answer was lost.
        const isDone = Object.entries(Object(body)).every(([name, value]) => data[name] === value);
        if (lost && isDone) return { data, next: null };
      }
      const passes = PASSING.includes(answer.code) && answer.retryAfter <= LONGEST_PAUSE;
      if (!passes || attempt === PAUSES.length) {
        if (answer.status !== 0) keys.delete(signature);
        throw answer;
      }
      lost ||= answer.status === 0;
      const seconds = Math.max(answer.retryAfter, PAUSES[attempt++] ?? 0);
      tell(0, 1);
      await pause(seconds, options.signal).finally(() => tell(0, -1));
    }
  } finally {
    tell(-1, 0);
  }
}

/** A record as it is now; a comment is read by its list, and a message with the ticket's newest.
 * @param {string} address @param {string} [list] @returns {Promise<any>} */
async function current(address, list = /^(.*\/comments)\/\d+$/.exec(address)?.[1]) {
  const id = address.split("/").at(-1);
  const ticket = /^(.*)\/messages\/\d+$/.exec(address)?.[1];
  const path = ticket ? `${ticket}?sort=-createdAt` : list ? `${list}?id=${id}` : address;
  const { data } = await exchange("get", path, undefined, { quiet: true });
  const rows = ticket ? data.messages : list ? data : [data];
  return rows.find((/** @type {any} */ row) => path === address || `${row.id}` === id);
}

/** @param {Method} method @param {string} address @param {string | undefined} body
 * @param {Record<string, any>} headers @param {Options} of @returns {Promise<Answer<any> | Problem>} */
async function once(method, address, body, headers, { signal, keepalive = false }) {
  const patience = AbortSignal.timeout(PATIENCE_MS);
  try {
    const answer = await fetch(address, { method: method.toUpperCase(), headers, body: body ?? null,
      keepalive, signal: signal ? AbortSignal.any([signal, patience]) : patience });
    const text = await answer.text();
    setClock(answer.headers.get("date"));
    const retryAfter = Number(answer.headers.get("retry-after")) || 0;
    if (!answer.ok) return new Problem(answer.status, parsed(text), retryAfter);
    const next = /<([^>]+)>; rel="next"/.exec(answer.headers.get("link") ?? "")?.[1];
    const { pathname, search } = new URL(next ?? "/", location.href);
    return { data: text ? JSON.parse(text) : undefined, next: next ? pathname + search : null };
  } catch {
    signal?.throwIfAborted();
    return new Problem(0, { code: "no_answer", detail: "The server did not answer. Nothing typed is lost." });
  }
}

/** Less than a few seconds are the way of the answer, and no wrong clock. @param {string | null} date */
function setClock(date) {
  const difference = Date.parse(date ?? "") - Date.now();
  if (!Number.isNaN(difference)) ahead = Math.abs(difference) < CLOCK_MS ? 0 : difference;
}

function parsed(/** @type {string} */ text) {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

/** Waits, or until the browser is online again. @param {number} seconds @param {AbortSignal} [signal] */
export function pause(seconds, signal) {
  const done = new AbortController();
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, 1000 * seconds, undefined);
    addEventListener("online", resolve, done);
    signal?.addEventListener("abort", () => (clearTimeout(timer), reject(signal.reason)), done);
  }).finally(() => done.abort());
}
