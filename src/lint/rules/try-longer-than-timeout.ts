import { parseDuration } from '../../lib/duration.ts';
import { httpRoutesOf } from '../routing/http-routes.ts';
import type { Rule } from '../rule.ts';

/** A try that may take as long as the whole request leaves no time for another one. */
export const rule: Rule = {
  code: 'try-longer-than-timeout',
  id: 'MP619',
  severity: 'warning',
  category: 'routing',
  direction: 'none',
  confidence: 'certain',
  kinds: ['VirtualService'],
  needs: 'policies',
  since: '0.1.0',
  title: 'a timeout for each try that is as long as the timeout of the whole request, or longer',
  why: 'the request ends with its own timeout before a slow try is given up, so a slow try is never repeated',
  hint: 'let "timeout" be as long as all tries together, or shorten "perTryTimeout" until they fit into it',
  check({ snapshot, report }) {
    for (const { object, route, path } of httpRoutesOf(snapshot.policies.virtualServices)) {
      const { timeout, retries } = route;
      if (timeout === undefined || retries?.perTryTimeout === undefined || retries.attempts === 0) continue;
      const whole = parseDuration(timeout);
      const each = parseDuration(retries.perTryTimeout);
      if (!whole || !each || each < whole) continue;
      const tries = (retries.attempts ?? usualAttempts) + 1;
      const hint = `let "timeout" be at least ${durationOf(each * tries)} (${tries} tries of ${retries.perTryTimeout}), or "perTryTimeout" at most ${durationOf(Math.max(1, Math.floor(whole / tries)))}`;
      const message = `"perTryTimeout" is ${retries.perTryTimeout}, and "timeout" of the whole request is ${timeout}`;
      report({ object, path: [...path, 'retries', 'perTryTimeout'], message, hint });
    }
  },
};

/** Retries of a route that names no number of them. */
const usualAttempts = 2;

function durationOf(milliseconds: number): string {
  return milliseconds % 1000 === 0 ? `${milliseconds / 1000}s` : `${milliseconds}ms`;
}
