/** The client of the story and the mistakes: openapi-fetch with the document's types. */

import createClient from "openapi-fetch";
import type { GatewayMessage, Problem, paths } from "./api";

/** A client on the API's origin: the browser sends the session cookie. */
export const api = createClient<paths>({ baseUrl: "/", credentials: "same-origin" });

/** A problem that the caller does not handle. */
export class Refused extends Error {
  readonly code: Problem["code"];
  readonly requestId: string;

  constructor(problem: Problem) {
    super(problem.detail);
    this.code = problem.code;
    this.requestId = problem.requestId;
  }
}

/** Too many requests. The gateway itself refused this one, with a message and no code. */
export class Busy extends Error {}

/** Returns the problem of an answer, if there is one. Throws `Busy` for an answer of the gateway itself. */
export function problemOf<E>(error: E): Extract<E, { code: string } | undefined> {
  if (error !== undefined && !("code" in (error as object))) {
    throw new Busy((error as GatewayMessage).message);
  }
  return error as Extract<E, { code: string } | undefined>;
}

/** The result of openapi-fetch: data or an error. */
type Answer<Data> =
  | { data: Data; error?: never }
  | { data?: never; error: Problem | GatewayMessage };

/** Returns the data of an answer. Throws `Refused` for a problem. */
export async function dataOf<Data>(answer: Promise<Answer<Data>>): Promise<Data> {
  const { data, error } = await answer;
  if (error !== undefined) {
    throw new Refused(problemOf(error));
  }
  return data;
}

/** Returns the next page of a list, from the URL in `Link`; empty after the last page. */
export async function nextPage<Row>(response: Response): Promise<Row[]> {
  const next = response.headers.get("Link")?.match(/<([^>]+)>; rel="next"/)?.[1];
  if (next === undefined) {
    return [];
  }
  const page = await fetch(next, { credentials: "same-origin" });
  const rows: unknown = await page.json();
  if (!page.ok) {
    throw new Refused(rows as Problem);
  }
  return rows as Row[];
}

/** Marks code that the compiler proves unreachable. */
export function never(value: never): never {
  throw new Error(`not in the document: ${JSON.stringify(value)}`);
}
