import { httpRoutesOf } from '../routing/http-routes.ts';
import type { Rule } from '../rule.ts';

/** A fault without a share injects nothing, as in Istio: hardly what is meant. */
export const rule: Rule = {
  code: 'fault-without-percentage',
  id: 'MP613',
  severity: 'warning',
  category: 'routing',
  direction: 'none',
  confidence: 'certain',
  kinds: ['VirtualService'],
  needs: 'policies',
  since: '0.1.0',
  title: 'a fault without a percentage, which is injected into no request',
  why: 'a test of how clients cope with the fault tests nothing',
  hint: 'set "percentage: {value: 100}" to inject the fault into every request',
  check({ snapshot, report }) {
    for (const { object, route, path } of httpRoutesOf(snapshot.policies.virtualServices)) {
      for (const field of ['delay', 'abort'] as const) {
        const injected = route.fault?.[field];
        if (injected === undefined || injected.percentage !== undefined || injected.percent !== undefined) continue;
        const message = `this ${field} has no "percentage", so that it is injected into no request`;
        report({ object, path: [...path, 'fault', field], part: 'key', message });
      }
    }
  },
};
