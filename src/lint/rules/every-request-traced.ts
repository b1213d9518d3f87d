import type { Rule } from '../rule.ts';

/** A share that suits a first look and not a mesh under load. */
export const rule: Rule = {
  code: 'every-request-traced',
  id: 'MP804',
  severity: 'info',
  category: 'agent',
  direction: 'none',
  confidence: 'certain',
  kinds: [],
  needs: 'policies',
  since: '0.1.0',
  title: 'every request is traced',
  why: 'each proxy sends a span of each request to the collector, which costs CPU time at the proxy and storage at the collector',
  hint: 'set PILOT_TRACE_SAMPLING to the percentage of requests that is needed, such as 1',
  check({ snapshot, report }) {
    const { enableTracing, traceSamplingPercent, proxy } = snapshot.settings;
    if (!enableTracing || proxy.tracer === undefined || traceSamplingPercent < 100) return;
    report({ setting: 'traceSamplingPercent', message: 'every request is traced' });
  },
};
