/** Who sees a project: all users of the organization, or its members alone. */
/** @import { ProjectMember } from "workdesk" @import { Choice } from "../../kit.js" */
import {
  attempt, button, choice, denied, draw, each, empty, everyone, fold, get, input, node, person, put,
  quiet, remove, say, time,
} from "../../kit.js";

const MEMBERS = "/api/projects/{projectId}/members";
const MEMBER = "/api/projects/{projectId}/members/{userId}";
/** @type {Choice[]} */
const VISIBILITIES = [["organization", "All users"], ["members", "Members alone"]];

/** The mark of a project that not all see. @param {{ visibility: string }} project */
export const seenBy = ({ visibility }) =>
  visibility === "organization" ? null : node("span.chip", "Members alone");

/** The field of a project. @type {import("../../record/fields.js").Field} */
export const VISIBILITY = { label: "Seen by", name: "visibility", choices: () => VISIBILITIES,
  shown: (project) => seenBy(project) ?? "All users" };

/** The control of a new project. */
export const visibilityInput = () => input("Seen by", "visibility", { options: VISIBILITIES,
  hint: "You become a member of a project that members alone see." });

/** The members, read when they are wanted. @param {number} projectId @param {AbortSignal} signal */
export function membersOf(projectId, signal) {
  const [list, end, add] = [node("ul.list"), node("div"), node("div")];
  const reason = denied("manage_directory");
  const read = async () => {
    const [{ data }, people] = await Promise.all([
      get(MEMBERS, { projectId }, { signal }), everyone().catch(() => [])]);
    const lineOf = (/** @type {ProjectMember} */ member) => line(member, reason
      ? null : () => leave(projectId, member, read));
    draw(list, each(data, ({ user }) => user.id, lineOf));
    draw(end, data.length === 0 && empty("The project has no members."));
    const others = people.filter(({ id }) => !data.some(({ user }) => user.id === id));
    draw(add, !reason && choice("Add a member",
      [["", "Choose a user"], ...others.map(optionOf)], "", (id) => join(projectId, id, read)));
  };
  const element = fold("members", "Members", [list, end, add], () => attempt(end, read));
  return { element, read: () => (element.open ? read() : undefined) };
}

/** @param {{ id: number, fullName: string, username: string }} user @returns {Choice} */
const optionOf = ({ id, fullName, username }) => [`${id}`, `${fullName} (${username})`];

/** @param {ProjectMember} member @param {(() => unknown) | null} leaves */
const line = ({ user, addedAt, addedBy }, leaves) => node("li.short", { key: user.id },
  node("span.grow", person(user)),
  quiet("added ", time(addedAt), addedBy && [" by ", node("bdi", addedBy.fullName)]),
  leaves && button("Remove", leaves, { kind: "plain", name: `Remove ${user.fullName}` }));

/** @param {number} projectId @param {string} id @param {() => unknown} read */
async function join(projectId, id, read) {
  if (!id) return;
  await put(MEMBER, { projectId, userId: Number(id) });
  say("Added.");
  await read();
}

/** @param {number} projectId @param {ProjectMember} member @param {() => unknown} read */
async function leave(projectId, { user }, read) {
  await remove(MEMBER, { projectId, userId: user.id });
  say(`${user.fullName} is no member any more.`);
  await read();
}
