import type * as kinds from '../../policy/topology-kinds.ts';
import type { Rule } from '../rule.ts';

/** The addresses of a ServiceEntry are those by which clients call it; where it is reached, "endpoints" says. */
export const rule: Rule = {
  code: 'static-without-endpoints',
  id: 'MP630',
  severity: 'warning',
  category: 'routing',
  direction: 'breaks',
  confidence: 'certain',
  kinds: ['ServiceEntry'],
  needs: 'policies',
  since: '0.1.0',
  title: 'a ServiceEntry of resolution STATIC without endpoints',
  why: 'requests to HTTP ports get 503, and connections to other ports are closed',
  hint: 'list "endpoints", or write resolution DNS for a host that DNS knows, or NONE to go where the client wanted to go',
  outranks: ['service-without-endpoints'],
  check({ snapshot, report }) {
    for (const object of snapshot.objects) {
      if (object.kind !== 'ServiceEntry') continue;
      const { resolution, endpoints = [], workloadSelector } = (object as kinds.ServiceEntry).spec;
      if (resolution !== 'STATIC' || endpoints.length > 0 || workloadSelector !== undefined) continue;
      const message = 'resolution STATIC without "endpoints" or "workloadSelector": there is no address to connect to';
      report({ object, path: ['spec', 'resolution'], message });
    }
  },
};
