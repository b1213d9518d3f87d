import { message } from '../message.ts';
import { error } from './entry.ts';

/** Faults of templates and of the rendered output. */
export const verifyCodes = {
  'template-forbidden': error(
    message`a template may not use ${'found'}`,
    'use {{json x}}, {{#each x}}, {{#if x}}, {{#unless x}}, {{#with x}} and {{> partial}} only',
  ),
  'template-lost-rule': error(
    message`the rendered ${'resource'} differs from what the policies require: ${'loss'}`,
    'write there what the built-in template of the same name writes',
  ),
  'template-not-json': error(message`the output of the template for ${'resource'} is not JSON: ${'reason'}`),
  'template-recursive': error(message`the partial "${'name'}" calls itself`),
  'template-syntax': error(message`cannot read the template: ${'reason'}`),
  'template-unknown-name': error(
    message`no template is named "${'name'}", expected ${'expected'} or partials/\u2026.hbs`,
  ),
  'template-unknown-partial': error(message`no partial is named "${'name'}"`),
  'template-unknown-value': error(message`the template input has no value named "${'name'}"`),
  'template-value-missing': error(
    message`the template uses a value that the template input of ${'resource'} does not have`,
    'compare with the built-in template of the same name',
  ),
  'output-invalid': error(message`rendered ${'resource'} is refused by Envoy's API at ${'path'}: ${'reason'}`),
  'output-duplicate-domain': error(message`rendered ${'resource'} has the domain "${'domain'}" twice`),
  'output-duplicate-match': error(
    message`rendered ${'resource'} has two filter chains that match the same: "${'first'}" and "${'second'}"`,
  ),
  'output-duplicate-name': error(message`rendered ${'resource'} has two ${'what'} named "${'name'}"`),
  'output-http-matcher-on-tcp': error(
    message`rendered ${'resource'} matches ${'matcher'} in a network filter, where it never holds, at ${'path'}`,
  ),
  'output-router-not-last': error(
    message`rendered ${'resource'} has HTTP filters that do not end with the router, at ${'path'}`,
  ),
  'output-unknown-cluster': error(
    message`rendered ${'resource'} names the cluster "${'cluster'}", which does not exist`,
  ),
  'output-unknown-route': error(
    message`rendered ${'resource'} names the route configuration "${'route'}", which does not exist`,
  ),
  'output-unknown-secret': error(
    message`rendered ${'resource'} names the secret "${'secret'}", expected "default" or "ROOTCA"`,
  ),
};
