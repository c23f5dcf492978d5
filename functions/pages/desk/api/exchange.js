/** A request with its attempts, until it has an answer to show. client.js says when one is
 * repeated. */
/** @import { Answer, Method, Options } from "./client.js" */
import { once, pause, Problem } from "./wire.js";

const PAUSES = [0.5, 1, 2, 4, 8]; // Seconds between attempts.
const LONGEST_PAUSE = 60; // Seconds. A longer `Retry-After` is told to the user instead.
const PASSING = ["request_under_way", "concurrent_change", "rate_limited", "unavailable",
  "no_answer"];
// Paths that need no session.
const OPEN = /^\/api\/auth\/(login|forgot|reset|accept|email\/confirm)$/;

/** Keys of creates whose outcome is not known, by method, address and body.
 * @type {Map<string, string>} */
const keys = new Map();
let signIn = async (/** @type {Problem} */ _problem) => {};
let activity = (/** @type {{ busy: boolean, waiting: boolean }} */ _state) => {};
let becameOther = (/** @type {Problem} */ _problem) => {};
let [busy, waiting, signIns] = [0, 0, 0];
let shownUser = 0; // The id of the user whom the page shows; 0 before the sign-in.
/** Sets the sign-in that a 401 and `sign_in_again` wait for. @param {typeof signIn} wait */
export const onUnauthenticated = (wait) => void (signIn = wait);
/** Sets the listener for a session of another user than the page's.
 * @param {typeof becameOther} listener */
export const onOtherUser = (listener) => void (becameOther = listener);
/** Has all further requests name the user whom the page shows. @param {number} id */
export const showsUser = (id) => void (shownUser = id);
/** Sets the listener: is a request under way, and does one wait?
 * @param {typeof activity} listener */
export const onActivity = (listener) => void (activity = listener);

/** Sends a request until it has an answer to show.
 * @param {Method} method @param {string} address @param {unknown} body @param {Options} [options]
 * @returns {Promise<Answer<any>>} */
export async function exchange(method, address, body, options = {}) {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const request = { method, address, body, text, options, isOpen: OPEN.test(address),
    signature: `${method} ${address} ${text}` };
  const headers = headersOf(request);
  tell(options, 1, 0);
  try {
    for (const tried = { attempt: 0, isLost: false }; ; ) {
      const before = signIns;
      const answer = await once(method, address, text, headers, options);
      if (!(answer instanceof Problem)) {
        keys.delete(request.signature);
        return answer;
      }
      const wantsSignIn = ["unauthenticated", "sign_in_again"].includes(answer.code);
      if (wantsSignIn && !request.isOpen) {
        // A request from before a sign-in needs no other one.
        if (before === signIns) await signIn(answer).then(() => (signIns += 1));
        continue;
      }
      const done = await doneBefore(request, answer, tried.isLost);
      if (done) return done;
      await waitFor(request, answer, tried);
    }
  } finally {
    tell(options, -1, 0);
  }
}

/** A request with what all of its attempts share.
 * @typedef {{ method: Method, address: string, body: unknown, text: string | undefined,
 *   options: Options, isOpen: boolean, signature: string }} Request */

/** The headers of a request. Each POST gets a key, unless it has one from before.
 * @param {Request} request */
function headersOf({ method, text, options, isOpen, signature }) {
  if (method === "post" && !isOpen && !keys.has(signature)) {
    keys.set(signature, crypto.getRandomValues(new Uint32Array(4)).join("-"));
  }
  return { ...(text !== undefined && { "content-type": "application/json" }),
    ...(options.absent && { "if-none-match": "*" }),
    ...(options.match && { "if-match": `"${options.match.version}"` }),
    ...(keys.has(signature) && { "idempotency-key": keys.get(signature) }),
    ...(shownUser && !options.anyone && { "workdesk-user": `${shownUser}` }) };
}

/** Tells that requests begin or end, and begin or end to wait.
 * @param {Options} options @param {number} begun @param {number} waits */
function tell({ quiet }, begun, waits) {
  if (quiet) return;
  [busy, waiting] = [busy + begun, waiting + waits];
  activity({ busy: busy > 0, waiting: waiting > 0 });
}

/** The answer of a request whose first attempt was done, while its answer was lost. After a 412 the
 * problem gets the record as it is now.
 * @param {Request} request @param {Problem} problem @param {boolean} isLost
 * @returns {Promise<Answer<any> | null>} */
async function doneBefore({ method, address, body, options }, problem, isLost) {
  if (isLost && problem.status === 404 && method === "delete") {
    return { data: undefined, next: null };
  }
  if (problem.status !== 412) return null;
  const data = (problem.current = await current(address, options.list));
  const isDone = Object.entries(Object(body)).every(([name, value]) => data[name] === value);
  return isLost && isDone ? { data, next: null } : null;
}

/** Waits for the next attempt, or throws the problem if there is none.
 * @param {Request} request @param {Problem} problem
 * @param {{ attempt: number, isLost: boolean }} tried */
async function waitFor({ options, signature }, problem, tried) {
  if (problem.code === "other_user") {
    // The service's words are for programs.
    problem.detail = "Another user has signed in in this browser. Nothing was sent.";
    becameOther(problem);
  }
  const passes = PASSING.includes(problem.code) && problem.retryAfter <= LONGEST_PAUSE;
  if (!passes || tried.attempt === PAUSES.length) {
    if (problem.status !== 0) keys.delete(signature);
    throw problem;
  }
  tried.isLost ||= problem.status === 0;
  const seconds = Math.max(problem.retryAfter, PAUSES[tried.attempt] ?? 0);
  tried.attempt += 1;
  tell(options, 0, 1);
  await pause(seconds, options.signal).finally(() => tell(options, 0, -1));
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
