import { message } from '../message.ts';
import { error, info, warning } from './entry.ts';

/** Faults of the mesh configuration, the proxy configuration and environment variables. */
export const configCodes = {
  'security-setting-without-effect': warning(message`"${'field'}" has no effect: ${'consequence'}`, 'remove it'),
  'settings-without-effect': warning(message`${'kind'} has settings without effect here: ${'fields'}`),
  'bootstrap-not-read': info(
    message`"${'field'}" names "${'path'}", which pilot-agent reads when it starts Envoy: the bootstrap that is compiled here does not contain it`,
  ),
  'invalid-variable': error(message`variable ${'name'} is "${'value'}", expected ${'expected'}`),
  'ignored-variable': warning(
    message`variable ${'name'} is "${'value'}", expected ${'expected'}: the default (${'default'}) is used`,
  ),
  'unsupported-variable': error(message`variable ${'name'} cannot be switched on: ${'reason'}`, 'unset the variable'),
  'duplicate-provider': error(message`provider "${'name'}" is defined twice`, 'keep one, or rename the other'),
  'invalid-access-log-format': error(
    message`"accessLogFormat" is not an access log format of Envoy: ${'reason'}`,
    'write operators as in "%PROTOCOL%" or "%REQ(:PATH)%"',
  ),
  'invalid-bootstrap': error(message`this bootstrap cannot be used: ${'reason'}`),
  'invalid-node-metadata': error(message`variable ${'name'} cannot be node metadata: ${'reason'}`),
  'invalid-pod-info': error(
    message`this line is not key="value"`,
    'the file has the labels or annotations of the pod, one per line: write each value in double quotes, with the escapes of Go, as the Kubernetes downward API does',
  ),
  'invalid-proxy-setting': error(
    message`"${'name'}" is "${'value'}" (from ${'origin'}), expected ${'expected'}`,
    'change it where it comes from',
  ),
  'second-document': error(
    message`${'what'} has a second document, expected one`,
    'write all settings into one document: remove the line "---" between the two',
  ),
  'invalid-trust-domain': error(
    message`trust domain "${'value'}" from ${'origin'} is not a SPIFFE trust domain`,
    'use lower-case letters, digits, dots, dashes and underscores',
  ),
};
