import type { DiagnosticBag } from '../../../diagnostics/bag.ts';
import type { Secret } from '../../../policy/topology-kinds.ts';
import { type SecretUse, secretFault, secretUseKey } from '../../topology/gateway-secret.ts';
import type { Workload } from '../../topology/model.ts';
import type { GatewayServer } from './server.ts';

/** Uses of Secrets (`secretUseKey`) for which the servers stay closed where a Secret cannot serve. */
export type ClosingSecrets = ReadonlySet<string>;

/** Every Secret has to be able to serve. */
export const noClosingSecrets: ClosingSecrets = new Set();

/**
 * Secrets that servers name: one that is not there yet is a warning, one that cannot serve what is asked of it an error, or
 * a warning where that use is one of `closing`.
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
    else reportFault(pair, 'pair', closing, bag);
    const authorities = own ?? pair;
    if (asksClients && authorities !== undefined) reportFault(authorities, 'authorities', closing, bag);
  }
}

function reportFault(secret: Secret, use: SecretUse, closing: ClosingSecrets, bag: DiagnosticBag): void {
  const fault = secretFault(secret, use);
  if (fault === undefined) return;
  const { name, document } = secret;
  const code = closing.has(secretUseKey(secret, use)) ? 'closing-gateway-secret' : 'invalid-gateway-secret';
  bag.report(code, document.spanOf(['metadata', 'name']), { name, fault });
}
