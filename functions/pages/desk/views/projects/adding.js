/** Quick entry of tasks: Enter adds one and takes the next title at once; several pasted lines add as many.
 * Titles wait in a queue, one request after the other. They are kept until the service has them. */
/** @import { JoinedTask, TaskCreate } from "workdesk" */
import {
  ask, button, counted, denied, draftAt, draw, form, input, named, node, post, quiet, say, TASK_STATUSES, trouble,
} from "../../kit.js";

const SHOWN = 5; // Pasted lines that the question shows.
/** A mark of a list before a pasted title: "- [ ] Write the plan". */
const MARK = /^\s*(?:(?:[-*•]|\d{1,4}[.)])\s+)?(?:\[[ xX]?\]\s+)?/;

/** @param {() => Partial<TaskCreate>} chosen what each new task has @param {(task: JoinedTask) => void} added */
export function addingOf(chosen, added) {
  const kept = draftAt("tasks to add");
  const place = node("div.adding", { role: "status" });
  const queue = /** @type {TaskCreate[]} */ ([]);
  let isSending = false;
  /** The problem of the first task, until the user tries again or leaves it out. @type {unknown} */
  let stuck;

  const keep = () => (queue.length > 0 ? kept.keep({ tasks: JSON.stringify(queue) }, null) : kept.drop());
  const next = () => {
    queue.shift();
    keep();
  };
  async function send() {
    if (isSending) return;
    isSending = true;
    stuck = undefined;
    for (let [task] = queue; task; [task] = queue) {
      draw(place, queue.length > 1 && quiet(`Adding ${counted(queue.length, "task")} …`));
      try {
        const { data } = await post("/api/tasks", {}, task);
        next();
        added(data);
      } catch (problem) {
        stuck = problem;
        break;
      }
    }
    isSending = false;
    show();
  }
  function show() {
    const [first] = queue;
    draw(place, first && stuck !== undefined && failed(first, stuck));
  }
  const failed = (/** @type {TaskCreate} */ { title }, /** @type {unknown} */ problem) => node("p",
    node("b", node("bdi", title), " was not added. "),
    queue.length > 1 && `${counted(queue.length - 1, "task waits", "tasks wait")} behind it. `,
    trouble(problem, send), button("Leave it out", () => {
      next();
      return send();
    }, { kind: "plain" }));
  const add = (/** @type {string[]} */ titles, /** @type {any} */ status) => {
    queue.push(...titles.map((title) => /** @type {any} */ ({ title, status, ...chosen() })));
    keep();
    // What waits behind a problem is not sent before the user has seen it.
    if (stuck === undefined) void send();
    else show();
  };

  const made = form({
    fields: [input("Add a task", "title", { required: true, autocomplete: "off", "aria-keyshortcuts": "c",
      onpaste: (/** @type {ClipboardEvent} */ event) => pasted(event) }),
      input("Status", "status", { options: named(TASK_STATUSES), value: "todo" })],
    submit: "Add", draft: "new task", reason: denied("create_task"),
    act: ({ title, status }) => {
      add([title], status);
      titleField().value = "";
      titleField().focus();
    },
  });
  made.classList.add("quick-add");
  const titleField = () => /** @type {HTMLInputElement} */ (made.elements.namedItem("title"));

  /** Asks before it adds a task for each pasted line. @param {ClipboardEvent} event */
  function pasted(event) {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    const titles = text.split(/\r?\n/).map((line) => line.replace(MARK, "").trim()).filter(Boolean);
    if (titles.length < 2 || denied("create_task")) return;
    event.preventDefault();
    const { value } = /** @type {HTMLSelectElement} */ (made.elements.namedItem("status"));
    const count = counted(titles.length, "task");
    const more = titles.length > SHOWN && `and ${counted(titles.length - SHOWN, "more line", "more lines")}`;
    ask(`Add ${count}?`, { submit: `Add ${count}`,
      text: [titles.slice(0, SHOWN).map((title) => node("div", node("bdi", title))), more],
      act: () => add(titles, value) });
  }

  const before = /** @type {TaskCreate[]} */ (JSON.parse(kept.read()?.values["tasks"] ?? "[]"));
  if (before.length > 0) {
    const drop = () => {
      kept.drop();
      draw(place);
    };
    const again = () => {
      queue.push(...before);
      return send();
    };
    draw(place, node("p.unsaved", node("strong", `${counted(before.length, "task was", "tasks were")} not added: `),
      before.slice(0, SHOWN).map(({ title }, at) => [at > 0 && ", ", node("bdi", title)]), ". ",
      button("Add now", again), button("Discard", drop, { kind: "plain" })));
    say("Some tasks were not added.");
  }
  return { element: made, place };
}
