import type { DiagnosticBag } from '../../../diagnostics/bag.ts';
import type { Secret } from '../../policy/topology-kinds.ts';
import { secretFault } from '../../topology/gateway-secret.ts';
import type { Workload } from '../../topology/model.ts';
import type { GatewayServer } from './server.ts';

/** Secrets that servers name: one that is not there yet is a warning, one that cannot serve an error. */
export function checkSecrets(
  servers: readonly GatewayServer[],
  { namespace }: Workload,
  secrets: readonly Secret[],
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
    else reportFault(pair, asksClients && own === undefined ? 'pair-and-authorities' : 'pair', bag);
    if (asksClients && own !== undefined) reportFault(own, 'authorities', bag);
  }
}

function reportFault(secret: Secret, use: Parameters<typeof secretFault>[1], bag: DiagnosticBag): void {
  const fault = secretFault(secret, use);
  if (fault === undefined) return;
  const { name, document } = secret;
  bag.report('invalid-gateway-secret', document.spanOf(['metadata', 'name']), { name, fault });
}
