import { parseDuration } from '../../lib/duration.ts';
import { httpRoutesOf } from '../routing/http-routes.ts';
import type { Rule } from '../rule.ts';

/** Whoever writes both on one route wants to see the timeout at work, and the proxy starts it when the delay is over. */
export const rule: Rule = {
  code: 'delay-longer-than-timeout',
  id: 'MP649',
  severity: 'warning',
  category: 'routing',
  direction: 'none',
  confidence: 'certain',
  kinds: ['VirtualService'],
  needs: 'policies',
  since: '0.1.0',
  title: 'an injected delay that is as long as the timeout of its route, or longer',
  why: 'the proxy waits before it sends the request on, and only then starts the timeout: the delay never makes a request time out',
  hint: 'inject the delay at another service that this one calls, or remove "timeout"',
  check({ snapshot, report }) {
    for (const { object, route, path } of httpRoutesOf(snapshot.policies.virtualServices)) {
      const { timeout, fault } = route;
      if (timeout === undefined || fault?.delay === undefined || fault.delay.percentage?.value === 0) continue;
      const [whole, delay] = [parseDuration(timeout), parseDuration(fault.delay.fixedDelay)];
      if (!whole || !delay || delay < whole) continue;
      const message = `"fixedDelay" is ${fault.delay.fixedDelay}, and "timeout" of the same route, which is ${timeout}, does not count it`;
      report({ object, path: [...path, 'fault', 'delay', 'fixedDelay'], message });
    }
  },
};
