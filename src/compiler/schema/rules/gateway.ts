import type { JsonPath } from '../../../diagnostics/span.ts';
import type { Gateway, Server, ServerTlsSettings } from '../../policy/gateway.ts';
import { formats } from '../formats.ts';
import { isDnsLabel } from '../names.ts';
import type { Report, Rule } from '../rule.ts';
import { checkTlsParameters } from './tls-parameters.ts';

/** Validation of Gateway beyond its schema. */
export const gatewayRules: readonly Rule<Gateway>[] = [
  checkName,
  checkPortNames,
  (gateway, report) => eachServer(gateway, (server, path) => checkTlsFitsProtocol(server, path, report)),
  (gateway, report) => eachServer(gateway, (server, path) => checkCertificates(server, [...path, 'tls'], report)),
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
    else if (tls.httpsRedirect) {
      report('https-redirect-ignored', [...path, 'tls', 'httpsRedirect'], { protocol }, { part: 'key' });
    }
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
  if (mode === 'PASSTHROUGH' || mode === 'AUTO_PASSTHROUGH') {
    for (const field of certificateFields) {
      if (tls[field]) report('certificate-ignored', [...path, field], { field, mode }, { part: 'key' });
    }
    return;
  }
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

function conflict(one: string, field: string, path: JsonPath, report: Report): void {
  const holes = { fields: `"${one}" and "${field}"`, where: 'the TLS settings of a server' };
  report('conflicting-fields', [...path, field], holes, { part: 'key' });
}

function eachServer({ spec }: Gateway, visit: (server: Server, path: JsonPath) => void): void {
  for (const [i, server] of spec.servers.entries()) visit(server, ['spec', 'servers', i]);
}
