/** All that views are made of, by one name: requests, records, elements, the frame around. */
export * from "./api/client.js";
export * from "./api/records.js";
export * from "./api/sets.js";
export * from "./elements.js";
export * from "./forms.js";
export * from "./frame/drafts.js";
export * from "./frame/frame.js";
export * from "./frame/inbox.js";
export * from "./frame/keys.js";
export * from "./frame/router.js";
export * from "./frame/session.js";
export * from "./marks.js";
export * from "./menu.js";
export * from "./render.js";
export * from "./values.js";
export * from "./written.js";
