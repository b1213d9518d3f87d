import type { NumberWithoutRule } from './entry.ts';

/** Templates, what they give, and settings. */
export const outputAndSettingNumbers: readonly NumberWithoutRule[] = [
  {
    id: 'MP701',
    title: 'a template with an unknown name',
    saidBy: ['template-unknown-name', 'template-value-missing'],
  },
  { id: 'MP702', title: 'a template that gives no JSON', saidBy: ['template-not-json'] },
  { id: 'MP703', title: 'a bootstrap that Envoy refuses', saidBy: ['output-invalid', 'invalid-bootstrap'] },
  { id: 'MP704', title: 'a value that a template does not quote', saidBy: ['template-forbidden', 'template-not-json'] },
  { id: 'MP705', title: 'an admin interface that others reach', saidBy: ['template-lost-rule', 'invalid-bootstrap'] },
  { id: 'MP706', title: 'a listener of an override that is in the way', saidBy: ['output-duplicate-name'] },
  { id: 'MP707', title: 'a cluster that is not there', saidBy: ['output-unknown-cluster'] },
  {
    ...{ id: 'MP708', title: 'a file of authorities that is empty or missing' },
    leftOut: 'files of certificates are on the machine of the proxy, where the agent checks them',
  },
  {
    ...{ id: 'MP709', title: 'more listeners than a proxy starts with in time' },
    leftOut: 'lint renders nothing; the metrics of the agent count what a proxy gets',
  },
  {
    ...{ id: 'MP710', title: 'an access log in which clients write lines of their own' },
    leftOut:
      'the values of headers hold no line ends; whoever parses lines sets accessLogEncoding to JSON, which quotes',
  },
  {
    ...{ id: 'MP711', title: 'access rules behind a filter that changes the request' },
    leftOut: 'the order of filters is that of the compiler; a template that changes it is refused',
  },
  {
    ...{ id: 'MP712', title: 'tokens that are checked behind the access rules' },
    leftOut: 'the order of filters is that of the compiler; a template that changes it is refused',
  },
  {
    ...{ id: 'MP802', title: 'a size of log files in another unit than meant' },
    leftOut: 'it is an option of the agent, which is no input of lint',
  },
  {
    ...{ id: 'MP803', title: 'certificates that are renewed too late' },
    leftOut: 'it is a setting of the agent, which refuses a share outside of 0 to 1 when it starts',
  },
  {
    id: 'MP806',
    title: 'an exclusion from redirection of the port of the application',
    saidBy: ['inbound-outside-capture'],
  },
  {
    ...{ id: 'MP808', title: 'an application that listens on loopback alone', peers: ['IST0143'] },
    leftOut: 'the sockets of applications are not in the input',
  },
];
