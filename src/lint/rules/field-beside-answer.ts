import { httpRoutesOf } from '../routing/http-routes.ts';
import type { Rule } from '../rule.ts';

/** What happens on the way to a destination: Istio takes these fields beside an answer, too. */
const forwardingFields = [
  ...(['mirror', 'mirrors', 'mirrorPercentage', 'mirrorPercent', 'mirror_percent', 'timeout', 'retries'] as const),
] as const;

/** A redirect and a direct response need no destination. */
export const rule: Rule = {
  code: 'field-beside-answer',
  id: 'MP615',
  severity: 'warning',
  category: 'routing',
  direction: 'none',
  confidence: 'certain',
  kinds: ['VirtualService'],
  needs: 'policies',
  since: '0.1.0',
  title: 'a forwarding field in a route that forwards nothing',
  why: 'the route answers requests with a redirect or a direct response, so the field has no effect',
  hint: 'remove the field',
  check({ snapshot, report }) {
    for (const { object, route, path } of httpRoutesOf(snapshot.policies.virtualServices)) {
      const answer = (['redirect', 'directResponse'] as const).find((field) => route[field] !== undefined);
      if (answer === undefined) continue;
      for (const field of forwardingFields) {
        if (route[field] === undefined) continue;
        const message = `"${field}" has no effect together with "${answer}": the request is not forwarded`;
        report({ object, path: [...path, field], part: 'key', message });
      }
    }
  },
};
