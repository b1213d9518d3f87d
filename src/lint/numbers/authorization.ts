import type { NumberWithoutRule } from './entry.ts';

/** Access rules and their values. */
export const authorizationNumbers: readonly NumberWithoutRule[] = [
  {
    ...{ id: 'MP318', title: 'a policy beside the gateway that selects nothing there', peers: ['IST0127'] },
    saidBy: ['selector-without-workload', 'policy-in-force-nowhere'],
  },
  {
    ...{ id: 'MP320', title: 'a condition on an attribute that is none' },
    saidBy: ['unknown-condition-key', 'unsupported-condition-key', 'condition-without-name'],
  },
  { id: 'MP321', title: 'a rule that no policy test exercises', leftOut: 'there are no policy tests yet' },
  { id: 'MP403', title: 'a path that no request has', saidBy: ['match-never-holds', 'path-of-no-request'] },
  {
    ...{ id: 'MP404', title: 'a host in capitals' },
    leftOut: 'hosts are compared without case, so that capitals change nothing',
  },
  {
    ...{ id: 'MP409', title: 'characters of expressions in a value' },
    leftOut: 'the compiler quotes every value that it puts into an expression',
  },
  {
    ...{ id: 'MP410', title: 'a DENY rule that becomes an expression on a header' },
    leftOut: 'what the compiler makes of such a rule is not evaded by bytes beside the value, as end-to-end tests show',
  },
];
