/** A refusal of the API, or no answer at all. */
/** @import { Fault } from "workdesk" */

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
