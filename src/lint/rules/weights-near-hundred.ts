import { httpRoutesOf } from '../routing/http-routes.ts';
import type { Rule } from '../rule.ts';

/** Weights are relative; who writes percentages has them add up to 100. */
export const rule: Rule = {
  code: 'weights-near-hundred',
  id: 'MP637',
  severity: 'info',
  category: 'routing',
  direction: 'none',
  confidence: 'likely',
  kinds: ['VirtualService'],
  needs: 'policies',
  judges: 'each',
  since: '0.1.0',
  title: 'weights of destinations that look like percentages, and do not add up to 100',
  why: 'weights are relative to their sum, so each destination gets another share than its number says',
  hint: 'write weights that add up to 100',
  check({ snapshot, report }) {
    for (const { object, route, path } of httpRoutesOf(snapshot.policies.virtualServices)) {
      const weights = (route.route ?? []).map(({ weight = 0 }) => weight);
      const sum = weights.reduce((total, weight) => total + weight, 0);
      // Three times 33 is as near as whole numbers come.
      const isMeant = Math.abs(sum - 100) < 2 || new Set(weights).size === 1;
      if (weights.length < 2 || isMeant || Math.abs(sum - 100) > 10) continue;
      const shares = weights.map((weight) => `${Math.round((weight / sum) * 1000) / 10} %`).join(', ');
      const message = `the weights ${weights.join(', ')} add up to ${sum}, so that the destinations get ${shares} of the requests`;
      report({ object, path: [...path, 'route'], part: 'key', message });
    }
  },
};
