import type { DiagnosticBag } from '../../../diagnostics/bag.ts';
import type { Secret } from '../../../policy/topology-kinds.ts';
import { secretFault } from '../../topology/gateway-secret.ts';
import type { Workload } from '../../topology/model.ts';
import type { GatewayServer } from './server.ts';

/** Secrets (`<namespace>/<name>`) whose servers stay closed where they cannot serve. */
export type ClosingSecrets = ReadonlySet<string>;

/** Every Secret has to be able to serve. */
export const noClosingSecrets: ClosingSecrets = new Set();

/**
 * Secrets that servers name: one that is not there yet is a warning, one that cannot serve an error, or a warning where
 * it is one of `closing`.
 */
export function checkSecrets(
  servers: readonly GatewayServer[],
  { namespace }: Workload,
  secrets: readonly Secret[],
  closing: ClosingSecrets,
  bag: DiagnosticBag,
): void {
  const byName = new Map(secrets.map((secret) => [secret.name, secret]));
  for (const { gateway, server, path, tlsMode } of servers) {
    const name = server.tls?.credentialName;
    if (!name || tlsMode === 'MESH_MUTUAL' || tlsMode === 'PASSTHROUGH' || tlsMode === 'AUTO_PASSTHROUGH') continue;
    const asksClients = tlsMode !== 'SIMPLE';
    const own = byName.get(`${name}-cacert`);
    const pair = byName.get(name);
    const span = gateway.document.spanOf([...path, 'tls', 'credentialName']);
    if (pair === undefined) bag.report('missing-gateway-secret', span, { name, namespace });
    else reportFault(pair, asksClients && own === undefined ? 'pair-and-authorities' : 'pair', closing, bag);
    if (asksClients && own !== undefined) reportFault(own, 'authorities', closing, bag);
  }
}

function reportFault(
  secret: Secret,
  use: Parameters<typeof secretFault>[1],
  closing: ClosingSecrets,
  bag: DiagnosticBag,
): void {
  const fault = secretFault(secret, use);
  if (fault === undefined) return;
  const { namespace, name, document } = secret;
  const code = closing.has(`${namespace}/${name}`) ? 'closing-gateway-secret' : 'invalid-gateway-secret';
  bag.report(code, document.spanOf(['metadata', 'name']), { name, fault });
}
