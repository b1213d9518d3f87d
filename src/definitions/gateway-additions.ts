import { aliases } from '../policy/alias.ts';
import { certificatePins } from '../schema/rules/gateway.ts';
import { emptyOr, forbidden, isAnyThere, isSet, ownedWhole, rules, schema } from './addition.ts';
import { quoted, type ServerRule } from './server-rule.ts';
import type { Additions } from './structural-schema.ts';
import { textPatterns } from './text-patterns.ts';

const protocol = 'self.port.protocol.upperAscii()';
const endsOrPassesTls = `${protocol} in ['HTTPS', 'TLS']`;
const isPlainHttp = `${protocol} in ['HTTP', 'HTTP2', 'GRPC', 'GRPC-WEB']`;
const mode = "(has(self.tls.mode) ? self.tls.mode : 'PASSTHROUGH')";

const certificates = ['serverCertificate', 'privateKey', 'caCertificates'] as const;
const clientChecks = ['caCrl', 'subjectAltNames', 'verifyCertificateSpki', 'verifyCertificateHash'] as const;
const versions = ['minProtocolVersion', 'maxProtocolVersion', 'cipherSuites'] as const;

const isSetInTls = (field: string): string => isSet(field, 'self.tls');
const isAnySet = (fields: readonly string[]): string => `(${fields.map(isSetInTls).join(' || ')})`;
const isAnyClientCheck = `(${isSetInTls('caCrl')} || ${isAnyThere(clientChecks.slice(1), 'self.tls')})`;

/** In CEL: what a server with TLS in one of the modes must keep. */
function inModes(modes: readonly string[], holds: string): string {
  return `!(${endsOrPassesTls}) || !has(self.tls) || !(${mode} in ['${modes.join("', '")}']) || ${holds}`;
}

const ownModes = ['SIMPLE', 'MUTUAL', 'OPTIONAL_MUTUAL'];
const meshModes = ['MESH_MUTUAL', ...Object.keys(aliases.tlsModes)];

/** Validation of a server's TLS, as far as it needs that server alone. */
const serverRules: readonly ServerRule[] = [
  {
    rule: `!(${endsOrPassesTls}) || has(self.tls)`,
    message: 'a port with protocol HTTPS or TLS needs "tls"',
    fieldPath: '.tls',
    reason: 'FieldValueRequired',
  },
  forbidden(
    'tls',
    `!has(self.tls) || ${endsOrPassesTls} || ${isPlainHttp}`,
    'a port of this protocol can\'t have "tls"',
  ),
  forbidden(
    'tls',
    `!has(self.tls) || !(${isPlainHttp}) || (${mode} == 'PASSTHROUGH' && !${isAnyThere([...certificates, ...clientChecks, ...versions, 'credentialName'], 'self.tls')})`,
    '"tls" of a plain-text port can only have "httpsRedirect"',
  ),
  {
    rule: inModes(meshModes, `!${isAnySet([...certificates, 'credentialName'])}`),
    message: `"mode: MESH_MUTUAL" excludes ${quoted([...certificates, 'credentialName'])}`,
    fieldPath: '.tls',
  },
  {
    rule: inModes(ownModes, `!${isSetInTls('credentialName')} || !${isAnySet(certificates)}`),
    message: `"credentialName" excludes ${quoted(certificates)}`,
    fieldPath: '.tls.credentialName',
  },
  {
    rule: inModes(
      ownModes,
      `${isSetInTls('credentialName')} || (${isSetInTls('serverCertificate')} && ${isSetInTls('privateKey')})`,
    ),
    message: 'this mode needs "credentialName", or "serverCertificate" and "privateKey"',
    fieldPath: '.tls.mode',
  },
  {
    rule: inModes(['MUTUAL', 'OPTIONAL_MUTUAL'], isAnySet(['credentialName', 'caCertificates'])),
    message: 'this mode needs "credentialName" or "caCertificates"',
    fieldPath: '.tls.mode',
  },
  {
    rule: inModes(['SIMPLE'], `!(${isSetInTls('caCertificates')} || ${isAnyClientCheck})`),
    message: 'mode SIMPLE requests no client certificate, so none can be verified',
    fieldPath: '.tls.mode',
  },
  {
    rule: inModes(['PASSTHROUGH', 'AUTO_PASSTHROUGH'], `${isSetInTls('caCertificates')} || !${isAnyClientCheck}`),
    message: 'with this mode TLS is passed through, so no client certificate can be verified',
    fieldPath: '.tls',
  },
];

/** The names of versions sort as the versions do. */
const oldest =
  "(has(self.minProtocolVersion) && self.minProtocolVersion != 'TLS_AUTO' ? self.minProtocolVersion : 'TLSV1_2')";

/** Validation of Gateway that an API server can do. */
export const gateway: Additions = {
  metadata: schema({ type: 'object', properties: { name: { type: 'string', ...textPatterns['dns-label'] } } }),
  'spec.selector': ownedWhole,
  'spec.servers': schema({ maxItems: 4_096 }),
  'servers[].bind': schema(emptyOr('ip-address')),
  'tls.credentialName': schema(emptyOr('dns-subdomain')),
  'tls.verifyCertificateSpki[]': schema({ pattern: certificatePins.verifyCertificateSpki.form.source }),
  'tls.verifyCertificateHash[]': schema({ pattern: certificatePins.verifyCertificateHash.form.source }),
  'servers[].tls': rules({
    rule: `!has(self.maxProtocolVersion) || self.maxProtocolVersion == 'TLS_AUTO' || ${oldest} <= self.maxProtocolVersion`,
    message: 'this version is older than "minProtocolVersion", whose default is TLSV1_2',
    fieldPath: '.maxProtocolVersion',
  }),
  'servers[]': rules(...serverRules),
};
