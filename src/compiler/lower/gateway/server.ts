import type { JsonPath } from '../../../diagnostics/span.ts';
import type { Gateway, Server, ServerTlsMode } from '../../../policy/gateway.ts';
import type { Origins } from '../../ir/origin.ts';
import { canonicalAddress } from '../../topology/address.ts';
import type { Workload } from '../../topology/model.ts';
import { listenerName } from '../names.ts';
import { objectOrigin } from '../origins.ts';
import { wildcardAddresses } from '../wildcard.ts';

/** What a server's connections carry once they are accepted, and who ends their TLS. */
export type ServerClass = 'http' | 'https' | 'tcp' | 'tls' | 'passthrough' | 'auto-passthrough';

/** A host of a server, with the namespace that routes for it may come from (`*`: any). */
export interface ServerHost {
  readonly namespace: string;
  /** In lower case. */
  readonly host: string;
}

/** One server of one Gateway as one workload is to serve it. */
export interface GatewayServer {
  readonly gateway: Gateway;
  readonly server: Server;
  /** Of the server in its object. */
  readonly path: JsonPath;
  readonly class: ServerClass;
  readonly tlsMode: ServerTlsMode;
  readonly hosts: readonly ServerHost[];
  readonly addresses: readonly string[];
  /** Port of the listener: the target port of the workload's own service when that has the server's number. */
  readonly listenPort: number;
  readonly listener: string;
  readonly origins: Origins;
}

/** The servers of all Gateways in order of precedence. */
export function gatewayServers(gateways: readonly Gateway[], workload: Workload): readonly GatewayServer[] {
  return gateways.flatMap((gateway) =>
    gateway.spec.servers.map((server, i) => gatewayServer(gateway, server, i, workload)),
  );
}

/** `<namespace>/<name>`, as VirtualServices name it. */
export function gatewayKey({ namespace, name }: Gateway): string {
  return `${namespace}/${name}`;
}

/** True for servers whose connections begin with TLS. */
export function isSecure({ class: kind }: GatewayServer): boolean {
  return kind !== 'http' && kind !== 'tcp';
}

/** True for plaintext servers that send their clients to HTTPS; a server that ends TLS would send them to itself. */
export function isRedirect({ class: kind, server }: GatewayServer): boolean {
  return kind === 'http' && server.tls?.httpsRedirect === true;
}

function gatewayServer(gateway: Gateway, server: Server, index: number, workload: Workload): GatewayServer {
  const path = ['spec', 'servers', index];
  const addresses = listenAddresses(server.bind, workload);
  const listenPort = targetPort(server.port.number, workload);
  const tlsMode = server.tls?.mode ?? 'PASSTHROUGH';
  return {
    gateway,
    server,
    path,
    class: classOf(server.port.protocol.toUpperCase(), tlsMode),
    tlsMode,
    hosts: server.hosts.map((host) => serverHost(host, gateway.namespace)),
    addresses,
    listenPort,
    listener: listenerName(addresses[0] ?? '', listenPort),
    origins: { decidedBy: [objectOrigin(gateway, path)], overrode: [] },
  };
}

const httpProtocols: ReadonlySet<string> = new Set(['HTTP', 'HTTP2', 'GRPC', 'GRPC-WEB']);

function classOf(protocol: string, mode: ServerTlsMode): ServerClass {
  if (httpProtocols.has(protocol)) return 'http';
  if (protocol !== 'HTTPS' && protocol !== 'TLS') return 'tcp';
  if (mode === 'PASSTHROUGH') return 'passthrough';
  if (mode === 'AUTO_PASSTHROUGH') return 'auto-passthrough';
  return protocol === 'HTTPS' ? 'https' : 'tls';
}

/** `ns/host`, `./host` for the Gateway's own namespace, `*` + `/host` and `host` for any. */
function serverHost(text: string, namespace: string): ServerHost {
  const slash = text.indexOf('/');
  const host = text.slice(slash + 1).toLowerCase();
  const scope = slash === -1 ? '*' : text.slice(0, slash);
  return { namespace: scope === '.' ? namespace : scope, host };
}

function listenAddresses(bind: string | undefined, { families }: Workload): readonly string[] {
  const address = bind === undefined || bind === '' ? undefined : canonicalAddress(bind);
  const isAny = address === undefined || address === '0.0.0.0' || address === '::';
  return isAny ? wildcardAddresses(families) : [address];
}

function targetPort(number: number, { targets }: Workload): number {
  return targets.find(({ port }) => port.number === number)?.targetPort ?? number;
}
