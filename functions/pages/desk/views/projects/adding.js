/** Quick entry of tasks: Enter adds one and takes the next title at once; several pasted lines add
 * as many. Titles wait in a queue, one request after the other. They are kept until the service has
 * them. */
/** @import { JoinedTask, TaskCreate } from "workdesk" */
import {
  ask, button, counted, denied, draftAt, draw, form, input, named, node, post, quiet, say,
  TASK_STATUSES, trouble,
} from "../../kit.js";

const SHOWN = 5; // Pasted lines that the question shows.
/** A mark of a list before a pasted title: "- [ ] Write the plan". */
const MARK = /^\s*(?:(?:[-*•]|\d{1,4}[.)])\s+)?(?:\[[ xX]?\]\s+)?/;

/** @param {() => Partial<TaskCreate>} chosen what each new task has
 * @param {(task: JoinedTask) => void} added */
export function addingOf(chosen, added) {
  const kept = draftAt("tasks to add");
  const place = node("div.adding", { role: "status" });
  const queue = queueOf(place, kept, added);
  const add = (/** @type {string[]} */ titles, /** @type {any} */ status) => queue.add(
    titles.map((title) => /** @type {any} */ ({ title, status, ...chosen() })));
  const before = /** @type {TaskCreate[]} */ (JSON.parse(kept.read()?.values["tasks"] ?? "[]"));
  if (before.length > 0) offer(place, before, kept, queue.add);
  return { element: entryForm(add), place };
}

/** The field of a title, with the status of what is added.
 * @param {(titles: string[], status: string) => void} add */
function entryForm(add) {
  const made = form({
    fields: [input("Add a task", "title", { required: true, autocomplete: "off",
      "aria-keyshortcuts": "c", onpaste: (/** @type {ClipboardEvent} */ event) => {
        const { value } = /** @type {HTMLSelectElement} */ (made.elements.namedItem("status"));
        pasted(event, (titles) => add(titles, value));
      } }),
    input("Status", "status", { options: named(TASK_STATUSES), value: "todo" })],
    submit: "Add", draft: "new task", reason: denied("create_task"),
    act: ({ title, status }) => {
      add([title], status);
      const field = /** @type {HTMLInputElement} */ (made.elements.namedItem("title"));
      field.value = "";
      field.focus();
    },
  });
  made.classList.add("quick-add");
  return made;
}

/** Asks before it adds a task for each pasted line.
 * @param {ClipboardEvent} event @param {(titles: string[]) => void} add */
function pasted(event, add) {
  const text = event.clipboardData?.getData("text/plain") ?? "";
  const titles = text.split(/\r?\n/).map((line) => line.replace(MARK, "").trim()).filter(Boolean);
  if (titles.length < 2 || denied("create_task")) return;
  event.preventDefault();
  const count = counted(titles.length, "task");
  const more = titles.length > SHOWN
    && `and ${counted(titles.length - SHOWN, "more line", "more lines")}`;
  ask(`Add ${count}?`, { submit: `Add ${count}`,
    text: [titles.slice(0, SHOWN).map((title) => node("div", node("bdi", title))), more],
    act: () => add(titles) });
}

/** @typedef {ReturnType<typeof draftAt>} Kept */

/** The queue of tasks that the service does not have yet.
 * @param {Element} place shows how far it is
 * @param {Kept} kept @param {(task: JoinedTask) => void} added */
function queueOf(place, kept, added) {
  const queue = /** @type {TaskCreate[]} */ ([]);
  let isSending = false;
  /** The problem of the first task, until the user tries again or leaves it out. @type {unknown} */
  let stuck;
  const keep = () =>
    (queue.length > 0 ? kept.keep({ tasks: JSON.stringify(queue) }, null) : kept.drop());
  const next = () => {
    queue.shift();
    keep();
  };
  async function send() {
    if (isSending) return;
    isSending = true;
    stuck = undefined;
    for (let [task] = queue; task && stuck === undefined; [task] = queue) {
      draw(place, queue.length > 1 && quiet(`Adding ${counted(queue.length, "task")} …`));
      stuck = await sendOne(task, added);
      if (stuck === undefined) next();
    }
    isSending = false;
    show();
  }
  const leaveOut = () => {
    next();
    return send();
  };
  const show = () => draw(place, queue[0] && stuck !== undefined
    && failed(queue[0], queue.length - 1, stuck, send, leaveOut));
  const add = (/** @type {TaskCreate[]} */ tasks) => {
    queue.push(...tasks);
    keep();
    // What waits behind a problem is not sent before the user has seen it.
    if (stuck === undefined) void send();
    else show();
  };
  return { add };
}

/** Adds a task. Returns the problem if it was not added.
 * @param {TaskCreate} task @param {(task: JoinedTask) => void} added @returns {Promise<unknown>} */
async function sendOne(task, added) {
  try {
    added((await post("/api/tasks", {}, task)).data);
    return undefined;
  } catch (problem) {
    return problem;
  }
}

/** Says that a task was not added. @param {TaskCreate} task @param {number} waiting behind it
 * @param {unknown} problem @param {() => unknown} again @param {() => unknown} leaveOut */
const failed = ({ title }, waiting, problem, again, leaveOut) => node("p",
  node("b", node("bdi", title), " was not added. "),
  waiting > 0 && `${counted(waiting, "task waits", "tasks wait")} behind it. `,
  trouble(problem, again), button("Leave it out", leaveOut, { kind: "plain" }));

/** Offers the tasks that were not added before the page was left.
 * @param {Element} place @param {TaskCreate[]} before @param {Kept} kept
 * @param {(tasks: TaskCreate[]) => void} add */
function offer(place, before, kept, add) {
  const drop = () => {
    kept.drop();
    draw(place);
  };
  const titles = before.slice(0, SHOWN)
    .map(({ title }, at) => [at > 0 && ", ", node("bdi", title)]);
  draw(place, node("p.unsaved",
    node("strong", `${counted(before.length, "task was", "tasks were")} not added: `), titles, ". ",
    button("Add now", () => add(before)), button("Discard", drop, { kind: "plain" })));
  say("Some tasks were not added.");
}
