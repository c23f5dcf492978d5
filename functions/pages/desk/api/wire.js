/** One request on the wire: its answer, the server's clock, and the pause before another one. */
/** @import { Answer, Method, Options } from "./client.js" */
import { Problem } from "./problem.js";

const PATIENCE_MS = 35_000; // The longest wait for an answer: a little more than the gateway's.
const CLOCK_MS = 5_000; // A clock that differs by less is right.
let ahead = 0; // Milliseconds that the server's clock is ahead of the browser's.

/** The present instant by the server's clock, in milliseconds. */
export const now = () => Date.now() + ahead;

/** Sends a request once. @param {Method} method @param {string} address
 * @param {string | undefined} body
 * @param {Record<string, any>} headers @param {Options} of
 * @returns {Promise<Answer<any> | Problem>} */
export async function once(method, address, body, headers, { signal, keepalive = false }) {
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
    return new Problem(0, { code: "no_answer",
      detail: "The server did not answer. Nothing typed is lost." });
  }
}

/** Less than a few seconds are the way of the answer, and no wrong clock.
 * @param {string | null} date */
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

/** Waits, or until the browser is online again. @param {number} seconds
 * @param {AbortSignal} [signal] */
export function pause(seconds, signal) {
  const done = new AbortController();
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, 1000 * seconds, undefined);
    addEventListener("online", resolve, done);
    signal?.addEventListener("abort", () => (clearTimeout(timer), reject(signal.reason)), done);
  }).finally(() => done.abort());
}
