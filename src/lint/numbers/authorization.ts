import type { NumberWithoutRule } from './entry.ts';

/** Access rules and their values. */
export const authorizationNumbers: readonly NumberWithoutRule[] = [
  {
    ...{
      id: 'MP318',
      title: 'a policy in the namespace of a gateway whose selector matches no workload there',
      peers: ['IST0127'],
    },
    saidBy: ['selector-without-workload', 'policy-in-force-nowhere', 'target-without-effect'],
  },
  {
    ...{ id: 'MP320', title: 'a condition on an unknown attribute' },
    saidBy: ['unknown-condition-key', 'unsupported-condition-key', 'condition-without-name'],
  },
  {
    ...{ id: 'MP301', title: 'the first ALLOW policy that applies to a workload' },
    leftOut:
      'such a policy is meant to refuse everything that it does not list; almost every correct one would be reported',
  },
  {
    ...{ id: 'MP308', title: 'an HTTP condition on a TCP port' },
    saidBy: ['rule-lost-on-tcp', 'rule-wider-on-tcp', 'authorizer-of-requests-only'],
  },
  {
    ...{ id: 'MP309', title: 'a DENY rule with only HTTP conditions on a TCP port' },
    saidBy: ['deny-of-http-only'],
  },
  {
    ...{ id: 'MP310', title: 'a DENY rule without ports on a workload that has TCP ports' },
    saidBy: ['deny-of-http-only', 'rule-wider-on-tcp'],
  },
  { id: 'MP317', title: 'a selector without labels', saidBy: ['selector-without-labels'] },
  {
    id: 'MP321',
    title: 'a rule that no policy test exercises',
    leftOut: '`meshpol test --coverage` reports such rules; lint runs no tests',
  },
  { id: 'MP403', title: 'a path that no request has', saidBy: ['match-never-holds', 'path-of-no-request'] },
  {
    ...{ id: 'MP404', title: 'a host name in capitals' },
    leftOut: 'host names are compared case-insensitively',
  },
  { id: 'MP406', title: 'a star in the middle of a value', saidBy: ['star-inside-path', 'match-never-holds'] },
  {
    ...{ id: 'MP408', title: 'a condition on a header that a request can repeat' },
    leftOut:
      'a condition that denies matches if any value of the header matches; a condition that allows is compared with all values, joined by commas',
  },
  {
    ...{ id: 'MP417', title: 'paths for an application that ignores parameters after a semicolon' },
    leftOut:
      'the inputs do not say how an application reads paths; the rule "other-spellings-of-path" reports that spelling',
  },
  {
    ...{ id: 'MP409', title: 'a value that contains characters of regular expressions' },
    leftOut: 'the compiler escapes every value that it writes into a regular expression',
  },
  {
    ...{ id: 'MP410', title: 'a DENY rule that is compiled to a regular expression on a header' },
    leftOut: 'additional bytes before or after the value do not evade the compiled rule; end-to-end tests show this',
  },
];
