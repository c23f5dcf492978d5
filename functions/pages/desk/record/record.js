/** What pages of records are made of, by one name: lists, fields, what is said on them. */
export * from "../list.js";
export * from "./comments.js";
export * from "./customers.js";
export * from "./fields.js";
export * from "./filters.js";
export * from "./history.js";
export * from "./page.js";
export * from "./selection.js";
export * from "./steps.js";
export * from "./tags.js";
export * from "./talk.js";
export * from "./undo.js";
export * from "./writer.js";
