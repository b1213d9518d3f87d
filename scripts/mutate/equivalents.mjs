/** Changes that change nothing that anybody can see, or nothing that harms: found by a run, looked at by a person. */
export const equivalents = [];
