import type { JsonPath } from '../../diagnostics/span.ts';
import type { Gateway, Server, ServerTlsSettings } from '../../policy/gateway.ts';
import { formats } from '../formats.ts';
import { isDnsLabel, isDnsSubdomain, isIpBlock } from '../names.ts';
import type { Report, Rule } from '../rule.ts';
import { checkCertificateFiles } from './certificate-files.ts';
import { checkTlsParameters } from './tls-parameters.ts';

/** Validation of Gateway beyond its schema. */
export const gatewayRules: readonly Rule<Gateway>[] = [
  checkName,
  checkPortNames,
  (gateway, report) => eachServer(gateway, (server, path) => checkTlsFitsProtocol(server, path, report)),
  (gateway, report) => eachServer(gateway, (server, path) => checkCertificates(server, [...path, 'tls'], report)),
  (gateway, report) => eachServer(gateway, (server, path) => checkClientChecks(server, [...path, 'tls'], report)),
  (gateway, report) => eachServer(gateway, (server, path) => checkServerNames(server, path, report)),
  (gateway, report) => eachServer(gateway, (server, path) => checkAddress(server, path, report)),
  (gateway, report) => eachServer(gateway, ({ tls }, path) => checkTlsParameters(tls, [...path, 'tls'], report)),
];

/** Route names and references hold the gateway's name between dots and slashes. */
function checkName({ name }: Gateway, report: Report): void {
  if (isDnsLabel(name)) return;
  const expected = formats['dns-label']?.expected ?? '';
  report('invalid-name', ['metadata', 'name'], { field: 'name', value: name, expected });
}

function checkPortNames({ spec }: Gateway, report: Report): void {
  const seen = new Set<string>();
  for (const [i, { port }] of spec.servers.entries()) {
    if (seen.has(port.name)) report('duplicate-port-name', ['spec', 'servers', i, 'port', 'name'], { name: port.name });
    seen.add(port.name);
  }
}

const secureProtocols: ReadonlySet<string> = new Set(['HTTPS', 'TLS']);
const plainHttpProtocols: ReadonlySet<string> = new Set(['HTTP', 'HTTP2', 'GRPC', 'GRPC-WEB']);

function checkTlsFitsProtocol({ port, tls }: Server, path: JsonPath, report: Report): void {
  const protocol = port.protocol.toUpperCase();
  if (secureProtocols.has(protocol)) {
    if (tls === undefined) report('server-without-tls', path, { protocol });
    return;
  }
  if (tls === undefined) return;
  if (!plainHttpProtocols.has(protocol)) {
    const holes = { field: 'tls', protocol, expected: 'no TLS settings' };
    report('tls-on-plaintext-port', [...path, 'tls'], holes, { part: 'key' });
    return;
  }
  const field = Object.keys(tls).find(
    (name) => name !== 'httpsRedirect' && !(name === 'mode' && tls.mode === 'PASSTHROUGH'),
  );
  if (field === undefined) return;
  const holes = { field, protocol, expected: 'at most "httpsRedirect"' };
  report('tls-on-plaintext-port', [...path, 'tls', field], holes, { part: 'key' });
}

const certificateFields = ['serverCertificate', 'privateKey', 'caCertificates', 'credentialName'] as const;

function checkCertificates({ port, tls }: Server, path: JsonPath, report: Report): void {
  if (tls === undefined || !secureProtocols.has(port.protocol.toUpperCase())) return;
  const { mode = 'PASSTHROUGH' } = tls;
  if (mode === 'PASSTHROUGH' || mode === 'AUTO_PASSTHROUGH') return;
  if (mode === 'MESH_MUTUAL') {
    const field = certificateFields.find((name) => tls[name]);
    if (field !== undefined) conflict('mode: MESH_MUTUAL', field, path, report);
    return;
  }
  if (tls.credentialName) {
    const field = (['serverCertificate', 'privateKey', 'caCertificates'] as const).find((name) => tls[name]);
    if (field !== undefined) conflict('credentialName', field, path, report);
    return;
  }
  const needed: readonly (keyof ServerTlsSettings)[] =
    mode === 'SIMPLE' ? ['serverCertificate', 'privateKey'] : ['serverCertificate', 'privateKey', 'caCertificates'];
  const absent = needed.find((field) => !tls[field]);
  if (absent !== undefined) report('incomplete-server-certificate', [...path, 'mode'], { mode, field: absent });
}

const clientFields = [
  'caCertificates',
  'caCrl',
  'subjectAltNames',
  'verifyCertificateSpki',
  'verifyCertificateHash',
] as const;

/** What is asked of clients is never dropped: a server that asks for no certificate cannot check one. */
function checkClientChecks({ port, tls }: Server, path: JsonPath, report: Report): void {
  if (tls === undefined || !secureProtocols.has(port.protocol.toUpperCase())) return;
  const { mode = 'PASSTHROUGH' } = tls;
  if (mode === 'SIMPLE' || mode === 'PASSTHROUGH' || mode === 'AUTO_PASSTHROUGH') {
    const field = clientFields.find((name) => tls[name] !== undefined && tls[name].length > 0);
    // "caCertificates" beside a mode that ends no TLS was reported with the other certificates.
    const isReported = field === 'caCertificates' && mode !== 'SIMPLE';
    if (field !== undefined && !isReported)
      report('client-check-ignored', [...path, field], { field, mode }, { part: 'key' });
  }
  checkPins(tls, path, report);
  checkCertificateFiles(tls, path, report);
  const { credentialName } = tls;
  if (credentialName && !isDnsSubdomain(credentialName)) {
    const expected = formats['dns-subdomain']?.expected ?? '';
    const name = credentialName.slice(credentialName.lastIndexOf('/') + 1);
    const hint = isDnsSubdomain(name)
      ? `write "${name}": the Secret is read from the namespace of the pods of the gateway`
      : undefined;
    const holes = { field: 'credentialName', value: credentialName, expected };
    report('invalid-name', [...path, 'credentialName'], holes, { hint });
  }
}

/** Forms of the pins of certificates, by field. */
export const certificatePins = {
  verifyCertificateSpki: { form: /^[A-Za-z0-9+/]{43}=$/, expected: 'the base64 SHA-256 of a public key' },
  verifyCertificateHash: {
    form: /^(?:[0-9A-Fa-f]{64}|[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){31})$/,
    expected: 'the hexadecimal SHA-256 of a certificate',
  },
} as const;

/** Envoy refuses a whole listener for one pin of another form. */
function checkPins(tls: ServerTlsSettings, path: JsonPath, report: Report): void {
  for (const field of ['verifyCertificateSpki', 'verifyCertificateHash'] as const) {
    for (const [i, value] of (tls[field] ?? []).entries()) {
      if (certificatePins[field].form.test(value)) continue;
      report('invalid-certificate-pin', [...path, field, i], { value, expected: certificatePins[field].expected });
    }
  }
}

/** Names in a handshake are compared label by label: Envoy refuses a listener that asks for a part of one. */
function checkServerNames({ hosts, port }: Server, path: JsonPath, report: Report): void {
  if (!secureProtocols.has(port.protocol.toUpperCase())) return;
  for (const [i, value] of hosts.entries()) {
    const host = value.slice(value.indexOf('/') + 1);
    if (!host.startsWith('*') || host === '*' || host.startsWith('*.')) continue;
    const expected = '"*" as a whole label on a port with TLS';
    report('invalid-gateway-host', [...path, 'hosts', i], { field: 'hosts', value, expected });
  }
}

function checkAddress({ bind, port }: Server, path: JsonPath, report: Report): void {
  if (bind && (!isIpBlock(bind) || bind.includes('/'))) report('invalid-address', [...path, 'bind'], { value: bind });
  if (port.targetPort !== undefined && port.targetPort !== 0 && port.targetPort !== port.number) {
    report(
      'server-target-port-ignored',
      [...path, 'port', 'targetPort'],
      { port: String(port.number) },
      { part: 'key' },
    );
  }
}

function conflict(one: string, field: string, path: JsonPath, report: Report): void {
  const holes = { fields: `"${one}" and "${field}"`, where: 'the TLS settings of a server' };
  report('conflicting-fields', [...path, field], holes, { part: 'key' });
}

function eachServer({ spec }: Gateway, visit: (server: Server, path: JsonPath) => void): void {
  for (const [i, server] of spec.servers.entries()) visit(server, ['spec', 'servers', i]);
}
