/** The client that the story and the mistakes share: openapi-fetch, typed by the document. */

import createClient from "openapi-fetch";
import type { Problem, paths } from "./api";

/** Same origin: the session's cookie goes along by itself. */
export const api = createClient<paths>({ baseUrl: "/", credentials: "same-origin" });

/** A problem where nobody has an answer to it. */
export class Refused extends Error {
  readonly code: Problem["code"];
  readonly requestId: string;

  constructor(problem: Problem) {
    super(problem.detail);
    this.code = problem.code;
    this.requestId = problem.requestId;
  }
}

/** What openapi-fetch answers: data, or the problem instead. */
type Answer<Data> = { data: Data; error?: never } | { data?: never; error: Problem };

/** The data of an answer. Throws `Refused` where there is a problem instead. */
export async function dataOf<Data>(answer: Promise<Answer<Data>>): Promise<Data> {
  const { data, error } = await answer;
  if (error !== undefined) {
    throw new Refused(error);
  }
  return data;
}

/** The page of a list that follows an answer, empty behind the last. The URL is followed as it is. */
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

/** Where the compiler has seen every case. */
export function never(value: never): never {
  throw new Error(`not in the document: ${JSON.stringify(value)}`);
}
