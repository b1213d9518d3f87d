import type { NumberWithoutRule } from './entry.ts';

/** Templates, what they give, and settings. */
export const outputAndSettingNumbers: readonly NumberWithoutRule[] = [
  {
    id: 'MP701',
    title: 'a template with an unknown name',
    saidBy: ['template-unknown-name', 'template-value-missing'],
  },
  { id: 'MP702', title: 'a template whose output is not JSON', saidBy: ['template-not-json'] },
  { id: 'MP703', title: 'a bootstrap that Envoy refuses', saidBy: ['output-invalid', 'invalid-bootstrap'] },
  {
    id: 'MP704',
    title: 'a template that writes a value without quoting it',
    saidBy: ['template-forbidden', 'template-not-json'],
  },
  {
    id: 'MP705',
    title: 'an admin interface that other machines can reach',
    saidBy: ['template-lost-rule', 'invalid-bootstrap'],
  },
  { id: 'MP706', title: 'a custom listener with the name of another listener', saidBy: ['output-duplicate-name'] },
  { id: 'MP707', title: 'an unknown cluster', saidBy: ['output-unknown-cluster'] },
  {
    ...{ id: 'MP708', title: 'a CA certificate file that is empty or missing' },
    leftOut: 'certificate files are on the machine of the proxy, where the agent checks them',
  },
  {
    ...{ id: 'MP709', title: 'more listeners than a proxy can load before its start timeout' },
    leftOut: 'lint generates no configuration; the metrics of the agent count what a proxy loads',
  },
  {
    ...{ id: 'MP710', title: 'an access log into which clients can inject lines' },
    leftOut:
      'header values cannot contain line breaks; for logs that a program parses, set accessLogEncoding to JSON, which quotes values',
  },
  {
    ...{ id: 'MP711', title: 'access rules that run after a filter that changes the request' },
    leftOut: 'the compiler sets the order of the filters, and refuses a template that changes it',
  },
  {
    ...{ id: 'MP712', title: 'tokens that are verified after the access rules' },
    leftOut: 'the compiler sets the order of the filters, and refuses a template that changes it',
  },
  {
    ...{ id: 'MP802', title: 'a log file size in the wrong unit' },
    leftOut: 'log sizes are options of the agent, which lint does not read',
  },
  {
    ...{ id: 'MP803', title: 'certificates that are renewed too late' },
    leftOut: 'the renewal time is a setting of the agent, which refuses values outside 0 to 1 when it starts',
  },
  {
    id: 'MP806',
    title: 'an application port that is excluded from traffic redirection',
    saidBy: ['inbound-outside-capture'],
  },
  {
    ...{ id: 'MP808', title: 'an application that listens only on loopback', peers: ['IST0143'] },
    leftOut: 'the inputs do not contain the sockets of applications',
  },
];
