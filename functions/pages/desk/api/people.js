/** The users of the organization, read once for all views. */
/** @import { User } from "workdesk" */
import { get } from "./client.js";

let people = /** @type {Promise<User[]> | undefined} */ (undefined);

/** The users who are not disabled, read at the first call and again after one changed. */
export function everyone() {
  people ??= get("/api/users", { disabled: false }, { quiet: true }).then(({ data }) => data);
  people.catch(forgetPeople);
  return people;
}

/** Has the next `everyone` read again. */
export const forgetPeople = () => void (people = undefined);
