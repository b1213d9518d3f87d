import { grpcStatusNames } from '../policy/grpc-status.ts';
import { base64Pattern } from '../schema/rules/route-values.ts';
import { each, exportTo, forbidden, isSet, once, rules, schema, selectors, unique } from './addition.ts';
import { atLeastOne, atMostOne, quoted, type ServerRule } from './server-rule.ts';
import type { Additions } from './structural-schema.ts';
import { textPatterns } from './text-patterns.ts';

const files = ['clientCertificate', 'privateKey', 'caCertificates'] as const;
const isAnyFile = `(${files.map((field) => isSet(field)).join(' || ')})`;

const clientTlsRules: readonly ServerRule[] = [
  {
    rule: `!has(self.mode) || self.mode != 'MUTUAL' || ${isSet('credentialName')} || (${isSet('clientCertificate')} && ${isSet('privateKey')})`,
    message: 'mode MUTUAL needs "clientCertificate" and "privateKey", or "credentialName"',
    fieldPath: '.mode',
  },
  {
    rule: `!${isSet('credentialName')} || !has(self.mode) || !(self.mode in ['SIMPLE', 'MUTUAL']) || !${isAnyFile}`,
    message: `"credentialName" excludes ${quoted(files)}`,
    fieldPath: '.credentialName',
  },
  {
    rule: `!has(self.insecureSkipVerify) || !self.insecureSkipVerify || !(${isSet('caCertificates')} || has(self.subjectAltNames))`,
    message: '"insecureSkipVerify" excludes "caCertificates" and "subjectAltNames"',
    fieldPath: '.insecureSkipVerify',
  },
];

/** Validation of DestinationRule that an API server can do. */
export const destinationRule: Additions = {
  ...selectors,
  ...exportTo,
  'spec.subsets': schema({ ...unique('name'), maxItems: 1_024 }),
  portLevelSettings: schema({ maxItems: 256 }),
  'spec.trafficPolicy.portLevelSettings': rules(once('port.number')),
  ...each(['failover[].from', 'failover[].to'], { pattern: '^[^/*]+$' }),
  spec: rules({
    rule: "!has(self.workloadSelector) || !has(self.exportTo) || !('*' in self.exportTo)",
    message: 'a DestinationRule with "workloadSelector" can\'t be exported to all namespaces',
    fieldPath: '.exportTo',
  }),
  outlierDetection: rules({
    rule: '!has(self.consecutiveLocalOriginFailures) || self.consecutiveLocalOriginFailures == 0 || (has(self.splitExternalLocalOriginErrors) && self.splitExternalLocalOriginErrors)',
    message: 'this field needs "splitExternalLocalOriginErrors: true"',
    fieldPath: '.consecutiveLocalOriginFailures',
  }),
  'maglev.tableSize': schema({ maximum: 5_000_010 }),
  tls: rules(...clientTlsRules),
};

const actions = ['route', 'redirect', 'directResponse', 'delegate'] as const;
const isDelegate = '(!has(self.hosts) || size(self.hosts) == 0)';

/** Validation of VirtualService that an API server can do. */
export const virtualService: Additions = {
  ...exportTo,
  'spec.http': schema({ maxItems: 4_096 }),
  'http[].route': schema({ maxItems: 256 }),
  'redirect.redirectCode': schema({ enum: [0, 301, 302, 303, 307, 308] }),
  'redirect.uri': schema({ ...textPatterns['token-prefix'] }),
  'redirect.authority': schema({ ...textPatterns['token-prefix'] }),
  'abort.grpcStatus': schema({ enum: grpcStatusNames }),
  'body.bytes': schema({ pattern: base64Pattern }),
  ...each(
    ['scheme', 'method', 'authority', 'headers.<key>', 'withoutHeaders.<key>', 'queryParams.<key>'].map(
      (place) => `match[].${place}.prefix`,
    ),
    { minLength: 1 },
  ),
  'http[].retries': rules({
    rule: '!has(self.attempts) || self.attempts != 0 || !(has(self.perTryTimeout) || has(self.retryOn) || has(self.retryRemoteLocalities) || has(self.backoff))',
    message: '"attempts: 0" switches retries off: the other fields have no effect',
    fieldPath: '.attempts',
  }),
  'http[]': rules(
    ...atLeastOne(actions),
    ...atMostOne(actions),
    {
      rule: '!(has(self.redirect) || has(self.directResponse)) || !(has(self.fault) || has(self.rewrite))',
      message: '"redirect" and "directResponse" exclude "fault" and "rewrite"',
    },
    {
      rule: '!has(self.route) || size(self.route) < 2 || self.route.exists(to, has(to.weight) && to.weight > 0)',
      message: 'if there are several destinations, at least one needs a weight above 0',
      fieldPath: '.route',
    },
  ),
  spec: rules(
    {
      rule: `!${isDelegate} || (!has(self.hosts) && has(self.http))`,
      message: 'hosts are needed, unless the object is a delegate: one that has only "http"',
      fieldPath: '.hosts',
      reason: 'FieldValueRequired',
    },
    ...(['gateways', 'tls', 'tcp'] as const).map((name) =>
      forbidden(
        name,
        `has(self.hosts) || !has(self.${name})`,
        'an object without hosts is a delegate, and has only "http"',
      ),
    ),
    {
      rule: 'has(self.hosts) || !has(self.http) || self.http.all(route, !has(route.delegate))',
      message: 'an object without hosts is a delegate: its routes can\'t have "delegate"',
      fieldPath: '.http',
    },
    {
      rule: `${isDelegate} || ${['http', 'tls', 'tcp'].map((name) => `(has(self.${name}) && size(self.${name}) > 0)`).join(' || ')}`,
      message: 'routes are needed: "http", "tls" or "tcp"',
    },
    {
      rule: "!has(self.hosts) || !('*' in self.hosts) || (has(self.gateways) && size(self.gateways) > 0 && !('mesh' in self.gateways))",
      message: 'host "*" is allowed only for gateways: in a sidecar it would match every request',
      fieldPath: '.hosts',
    },
  ),
};
