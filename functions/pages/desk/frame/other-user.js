/** A tab that shows another user than the session's says so. The service refuses its requests. */
import { get, onOtherUser } from "../api/client.js";
import { button, node } from "../elements.js";
import { dialog } from "../forms.js";
import { draw } from "../render.js";
import { me, myId, readSession } from "./session.js";
import { signedInElsewhere } from "./sign-in.js";
import { onTabs } from "../api/sharing.js";

let isSaid = false;

/** Reads the session when another tab signed in or out, and when the page is seen again. */
export function watchSession() {
  const read = () => void (document.hidden || readSession().catch(() => {}));
  onOtherUser(() => isSaid || sayOtherUser());
  document.addEventListener("visibilitychange", () => myId() && read());
  onTabs((user) => {
    // This page's own user, or the first one.
    if (user !== 0 && [0, user].includes(myId())) signedInElsewhere();
    else if (myId() !== 0) void readSession().catch(() => {});
  });
}

async function sayOtherUser() {
  isSaid = true;
  const { user, organization } = me();
  const says = node("p", { role: "status" }, "Another user has signed in in this browser.");
  dialog("Another user is signed in", node("div.stack", says,
    node("p", "This page is that of ", node("b", node("bdi", user.fullName)), ", ",
      node("bdi", organization.name),
      ". Nothing more is sent from it. What was typed is kept for that user."),
    node("div.end", button("Reload", () => location.reload(), { kind: "main" })),
  ), { stays: true });
  const { data } = await get("/api/auth/session", {}, { quiet: true, anyone: true });
  draw(says, node("b", node("bdi", data.user.fullName)), ", ", node("bdi", data.organization.name),
    ", is signed in to this browser now.");
}
