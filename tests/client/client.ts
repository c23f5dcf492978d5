/** The client of the story and the mistakes: openapi-fetch with the document's types. */

import createClient from "openapi-fetch";
import type { GatewayMessage, Problem, paths } from "./api";
import { problemOf } from "./problem";

export { problemOf };

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

/** Returns the page of a list after an answer, by the URL in `Link`. After the last page it is empty. */
export async function nextPage<Row>(answer: Response): Promise<{ rows: Row[]; response?: Response }> {
  const next = answer.headers.get("Link")?.match(/<([^>]+)>; rel="next"/)?.[1];
  if (next === undefined) {
    return { rows: [] };
  }
  const response = await fetch(next, { credentials: "same-origin" });
  const rows: unknown = await response.json();
  if (!response.ok) {
    throw new Refused(rows as Problem);
  }
  return { rows: rows as Row[], response };
}

/** Marks code that the compiler proves unreachable. */
export function never(value: never): never {
  throw new Error(`not in the document: ${JSON.stringify(value)}`);
}
