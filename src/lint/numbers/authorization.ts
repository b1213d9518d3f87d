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
  {
    ...{ id: 'MP301', title: 'the first ALLOW policy of its workloads' },
    leftOut: 'that it refuses what it does not list is what such a policy is for: almost every sound one would be told',
  },
  {
    ...{ id: 'MP308', title: 'a condition of requests on a port that carries bytes alone' },
    saidBy: ['rule-lost-on-tcp', 'rule-wider-on-tcp', 'authorizer-of-requests-only'],
  },
  {
    ...{ id: 'MP309', title: 'a DENY rule of requests alone on a port that carries bytes alone' },
    saidBy: ['deny-of-http-only'],
  },
  {
    ...{ id: 'MP310', title: 'a DENY rule without ports on a workload that has TCP ports' },
    saidBy: ['deny-of-http-only', 'rule-wider-on-tcp'],
  },
  { id: 'MP317', title: 'a selector without labels', saidBy: ['selector-without-labels'] },
  { id: 'MP321', title: 'a rule that no policy test exercises', leftOut: 'there are no policy tests yet' },
  { id: 'MP403', title: 'a path that no request has', saidBy: ['match-never-holds', 'path-of-no-request'] },
  {
    ...{ id: 'MP404', title: 'a host in capitals' },
    leftOut: 'hosts are compared without case, so that capitals change nothing',
  },
  { id: 'MP406', title: 'a star inside of a value', saidBy: ['star-inside-path', 'match-never-holds'] },
  {
    ...{ id: 'MP408', title: 'a header that a request can have twice' },
    leftOut: 'what takes access away matches each member of a repeated header, and what gives access the whole of it',
  },
  {
    ...{ id: 'MP417', title: 'paths before an application that cuts off parameters after a semicolon' },
    leftOut: 'no input says what the application makes of a path; "other-spellings-of-path" names that spelling',
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
