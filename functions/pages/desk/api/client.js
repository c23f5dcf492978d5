/** The client of the API. All requests of the desk go through it, such as
 * `const { data } = await patch("/api/tasks/{id}", { id: 7 }, { title: "…" }, { match: task })`.
 *
 * Parameters fill the path's braces; others become the query, a list by repetition. Types are the
 * document's. Failures throw a `Problem`; an aborted request throws `AbortError`.
 * Each POST has an `Idempotency-Key`; after a lost connection the same request has the same key
 * again. 429, 503 and a lost connection are repeated, by `Retry-After` or with growing pauses, five
 * times. A 401 and `sign_in_again` wait for the sign-in (`onUnauthenticated`) and are then
 * repeated. Each request names the user whom the page shows. The service refuses it once another
 * one has signed in. */
/** @import { paths } from "workdesk" */
import { exchange } from "./exchange.js";
import { reading } from "./wire.js";

export { onActivity, onOtherUser, onUnauthenticated, showsUser } from "./exchange.js";
export { afterReadings, now, pause, Problem, reading } from "./wire.js";

/** @typedef {"get" | "post" | "put" | "patch" | "delete"} Method */
/** @template {Method} M @typedef {{ [P in keyof paths]:
 *   paths[P] extends Record<M, { responses: any }> ? P : never }[keyof paths]} PathOf */
/** @template {keyof paths} P @template {Method} M
 * @typedef {paths[P][M] extends { parameters: { path: infer A } } ? A : {}} InPath */
/** @template {keyof paths} P @template {Method} M
 * @typedef {InPath<P, M> & (paths[P][M] extends { parameters: { query?: infer Q } }
 *   ? [Q] extends [undefined] ? {} : Omit<Partial<Q>, keyof InPath<P, M>> : {})} ParametersOf */
/** @template T @typedef {T extends { content: { "application/json": infer J } } ? J : undefined}
 * Json */
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
 * @property {string} [list] the list that reads the record after a 412, for one that has no read of
 * its own
 * @property {boolean} [absent] there must be no record yet @property {boolean} [quiet] shows no bar
 * @property {boolean} [keepalive] outlives the page
 * @property {boolean} [anyone] whoever is signed in, also another user than the page shows */
/** `next`: the path of a list's next page. @template R
 * @typedef {{ data: R, next: string | null }} Answer */

/** @param {Method} method @returns {Write<any>} */
const writes = (method) => (path, parameters, body, options) =>
  exchange(method, addressOf(path, parameters), body, options);
export const post = /** @type {Write<"post">} */ (writes("post"));
export const put = /** @type {Write<"put">} */ (writes("put"));
export const patch = /** @type {Write<"patch">} */ (writes("patch"));
/** @type {Bare<"delete">} */
export const remove = (path, of, options) => exchange("delete", addressOf(path, of), undefined,
  options);
/** @type {Bare<"get">} */
export const get = (path, of, options) => more(addressOf(path, of), options);
/** Reads the next page of a list. @param {string} next @param {Options} [options] */
export const more = (next, options) => reading(exchange("get", next, undefined, options));

/** Reads all pages of a list.
 * @type {<P extends PathOf<"get">>(path: P, parameters: ParametersOf<P, "get">,
 *   options?: Options) =>
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
