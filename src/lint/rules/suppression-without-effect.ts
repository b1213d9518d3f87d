import type { Rule } from '../rule.ts';

/** The runner finds these while it applies suppressions: an object alone does not show them. */
export const rule: Rule = {
  code: 'suppression-without-effect',
  id: 'MP902',
  severity: 'warning',
  category: 'hygiene',
  direction: 'none',
  confidence: 'certain',
  kinds: [],
  needs: 'policies',
  since: '0.1.0',
  title: 'a suppression that has expired, names no rule, gives no reason or suppresses nothing',
  why: 'readers of the suppression believe that a finding was examined and accepted',
  hint: 'remove it, or write "CODE: reason" or "CODE until YYYY-MM-DD: reason"',
  check() {},
};
