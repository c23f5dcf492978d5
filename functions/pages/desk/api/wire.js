/** One request on the wire: its answer or problem, the server's clock, the pause before another
 * one, and what is being read. */
/** @import { Fault } from "workdesk" @import { Answer, Method, Options } from "./client.js" */

const PATIENCE_MS = 35_000; // The longest wait for an answer: a little more than the gateway's.
const CLOCK_MS = 5_000; // A clock that differs by less is right.
let ahead = 0; // Milliseconds that the server's clock is ahead of the browser's.

/** The present instant by the server's clock, in milliseconds. */
export const now = () => Date.now() + ahead;

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

  /** The fault of a field of the body. @param {string} name */
  faultOf(name) {
    return this.faults.find(({ pointer }) => pointer.split("/")[1] === name);
  }
}

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
