// Schemas of zod, of the document that check.py names.
export default {
  workdesk: {
    input: process.env.DOCUMENT,
    output: { target: "./generated/zod.ts", client: "zod", mode: "single" },
  },
};
