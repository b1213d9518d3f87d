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
  title: 'a trace of every request',
  why: 'each proxy sends a span for each request to the collector, which costs time at the proxy and room at the collector',
  hint: 'set PILOT_TRACE_SAMPLING to the share that is looked at, such as 1',
  check({ snapshot, report }) {
    const { enableTracing, traceSamplingPercent, proxy } = snapshot.settings;
    if (!enableTracing || proxy.tracer === undefined || traceSamplingPercent < 100) return;
    report({ setting: 'traceSamplingPercent', message: 'every request is traced' });
  },
};
