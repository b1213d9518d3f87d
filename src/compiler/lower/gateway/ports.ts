import { boundPorts } from '../../../config/proxy-ports.ts';
import type { Settings } from '../../../config/settings.ts';
import type { DiagnosticBag } from '../../../diagnostics/bag.ts';
import type { ConflictIR } from '../../ir/proxy.ts';
import { type GatewayServer, gatewayKey, isSecure } from './server.ts';

/** The servers that share one listener; the first has decided what kind it is. */
export interface GatewayPort {
  readonly listener: string;
  readonly addresses: readonly string[];
  readonly port: number;
  readonly servers: readonly [GatewayServer, ...GatewayServer[]];
  /** Those that found no place. Their hosts are not served by others in their stead: perhaps they ask more of clients. */
  readonly leftOut: readonly GatewayServer[];
}

/** Ports with the servers that found a place on them, and those that found none. */
export interface MergedPorts {
  readonly ports: readonly GatewayPort[];
  readonly conflicts: readonly ConflictIR[];
}

/**
 * Servers of one listener, in order of precedence: plaintext HTTP shares one route table, TLS is
 * told apart by server name, and whatever does not go together with the first is left out and counted.
 */
export function mergePorts(servers: readonly GatewayServer[], settings: Settings, bag: DiagnosticBag): MergedPorts {
  const ports = new Map<string, { servers: [GatewayServer, ...GatewayServer[]]; leftOut: GatewayServer[] }>();
  const conflicts: ConflictIR[] = [];
  for (const server of servers) {
    if (!mayListen(server, settings, bag)) continue;
    const known = ports.get(server.listener);
    if (known === undefined) {
      ports.set(server.listener, { servers: [server], leftOut: [] });
      continue;
    }
    const clash = clashWith(known.servers, server);
    if (clash === undefined) {
      known.servers.push(server);
      continue;
    }
    known.leftOut.push(server);
    conflicts.push({ metric: 'pilot_total_rejected_configs', key: `gateway ${gatewayKey(server.gateway)}` });
    reportClash(server, clash, bag);
  }
  return {
    ports: [...ports].map(([listener, { servers: merged, leftOut }]) => {
      const [{ addresses, listenPort }] = merged;
      return { listener, addresses, port: listenPort, servers: merged, leftOut };
    }),
    conflicts,
  };
}

interface Clash {
  readonly with: GatewayServer;
  readonly why: string;
}

function clashWith([first, ...others]: readonly [GatewayServer, ...GatewayServer[]], server: GatewayServer) {
  if (isSecure(first) !== isSecure(server)) {
    const why = isSecure(first)
      ? 'an older server uses the port with TLS'
      : 'an older server uses the port with plaintext';
    return { with: first, why };
  }
  if (!isSecure(first)) return plaintextClash(first, server);
  return [first, ...others].map((other) => repeatedHost(other, server)).find((clash) => clash !== undefined);
}

function plaintextClash(first: GatewayServer, server: GatewayServer): Clash | undefined {
  if (first.class !== 'http' || server.class !== 'http') {
    return {
      with: first,
      why: 'it shares the port with another plaintext server, and not both are HTTP, so connections cannot be assigned to them',
    };
  }
  if (first.server.port.number === server.server.port.number) return undefined;
  return { with: first, why: `another server already uses container port ${first.listenPort}` };
}

/** Two servers for one server name: the certificate and the client checks of only one could hold. */
function repeatedHost(other: GatewayServer, server: GatewayServer): Clash | undefined {
  const repeated = server.hosts.find(({ host }) => other.hosts.some((known) => known.host === host));
  return repeated && { with: other, why: `host "${repeated.host}" already has a TLS server on that port` };
}

function reportClash({ gateway, server, path }: GatewayServer, clash: Clash, bag: DiagnosticBag): void {
  const { with: kept, why } = clash;
  bag.report(
    'gateway-server-left-out',
    gateway.document.spanOf([...path, 'port', 'number']),
    { name: server.port.name, gateway: gatewayKey(gateway), port: String(server.port.number), why },
    {
      related: [
        {
          message: `the one that applies, of Gateway "${gatewayKey(kept.gateway)}"`,
          span: kept.gateway.document.spanOf([...kept.path, 'port', 'number']),
        },
      ],
    },
  );
}

/** Envoy would take neither this listener nor, perhaps, the one that tells whether it is ready. */
function mayListen({ gateway, server, path, listenPort }: GatewayServer, settings: Settings, bag: DiagnosticBag) {
  const { adminPort, statusPort } = settings.proxy;
  if (!boundPorts(settings).has(listenPort) && listenPort !== adminPort && listenPort !== statusPort) return true;
  bag.report('gateway-port-of-proxy', gateway.document.spanOf([...path, 'port', 'number']), {
    name: server.port.name,
    port: String(listenPort),
  });
  return false;
}
