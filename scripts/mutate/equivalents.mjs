/**
 * Changes that change nothing that anybody can see, or nothing that harms: found by a run, looked at by a person. `before`
 * and `after` are the two sides of a run's line; `reason` says why no test can notice the change, or need not.
 */
export const equivalents = [];
