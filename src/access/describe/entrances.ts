import type { MeshFile, MeshWorkload } from '../../contracts/mesh-file.ts';
import type { Entrance } from '../description.ts';
import { chooseChain } from '../evaluate/choose-chain.ts';
import type { Chain, Listener } from '../lift/listener.ts';
import type { LiftedProxy } from '../lift-proxy.ts';
import type { Connection, HttpRequest } from '../request.ts';
import { admissionOf, type RuleWords } from './admission.ts';
import { sentencesOf, type WayIn } from './sentences.ts';

/** The ports of a workload, each with who is let in; `proxy` is absent where the workload has none. */
export function entrancesOf(
  workload: MeshWorkload,
  mesh: MeshFile,
  proxy: LiftedProxy | undefined,
  wordsOf: RuleWords,
): readonly Entrance[] {
  if (proxy !== undefined && workload.role === 'router') return gatewayEntrances(workload, proxy, wordsOf);
  const inbound = workload.role === 'sidecar' ? proxy?.listeners.get('virtualInbound') : undefined;
  const ports = [...new Set(workload.ports.map(({ targetPort }) => targetPort))].sort((a, b) => a - b);
  const entrance = (port: number | undefined): Entrance => ({
    ...(port !== undefined && { port }),
    serverNames: [],
    services: servicesAt(workload, port),
    letsIn: letsIn(workload, mesh, inbound, port, wordsOf),
  });
  return [...ports.map(entrance), entrance(undefined)];
}

function servicesAt({ ports }: MeshWorkload, port: number | undefined): readonly string[] {
  return ports.filter(({ targetPort }) => targetPort === port).map((target) => `${target.service}:${target.port}`);
}

function letsIn(
  workload: MeshWorkload,
  { capture }: MeshFile,
  inbound: Listener | undefined,
  port: number | undefined,
  wordsOf: RuleWords,
): readonly string[] {
  if (inbound === undefined) return ['any client, in plain text: the workload has no proxy, so no policy is enforced'];
  const { excludedInboundPorts: excluded = [], includedInboundPorts: included } = workload;
  const goesAround =
    port === undefined
      ? included !== undefined
      : [...capture.excludedInboundPorts, ...excluded].includes(port) || included?.includes(port) === false;
  if (goesAround) return ['any client: connections go around the sidecar, so no policy is enforced'];
  if (inbound.gap !== undefined) return [`not known: ${inbound.gap} of the configuration is not understood`];
  const probed = port ?? unusedPort(workload, capture);
  const [address = '198.18.0.3'] = workload.addresses;
  const ways = probes.flatMap(({ channel, connection, request }): readonly WayIn[] => {
    const arriving: Connection = { ...connection, source: '192.0.2.1', destination: { address, port: probed } };
    const { chain } = chooseChain(inbound, arriving, request);
    return chain === undefined ? [] : wayIn(channel, chain, request !== undefined, wordsOf);
  });
  return sentencesOf(ways);
}

/** Bytes on a chain for requests are no way in, and neither is TLS of other clients on a chain that ends the mesh's. */
function wayIn(channel: WayIn['channel'], chain: Chain, isRequest: boolean, wordsOf: RuleWords): readonly WayIn[] {
  if (channel === 'own TLS' && chain.tls !== undefined) return [];
  if (channel === 'mutual TLS' && chain.tls === undefined) return [];
  const admission = admissionOf(chain, wordsOf);
  return admission.carries === 'requests' && !isRequest ? [] : [{ channel, ...admission }];
}

/** No service leads to it, and redirection treats it like any other. */
function unusedPort({ ports }: MeshWorkload, { inboundPort, outboundPort, excludedInboundPorts }: MeshFile['capture']) {
  const used = new Set([...ports.map(({ targetPort }) => targetPort), ...excludedInboundPorts]);
  for (let port = 1; ; port++) {
    if (!used.has(port) && port !== inboundPort && port !== outboundPort) return port;
  }
}

const request: HttpRequest = { method: 'GET', path: '/', authority: 'a', headers: [] };
const identities = ['spiffe://a/ns/a/sa/a'];

/** One connection of each kind that chains are chosen by. */
const probes: readonly {
  readonly channel: WayIn['channel'];
  readonly connection: Pick<Connection, 'tls' | 'protocol'>;
  readonly request?: HttpRequest;
}[] = [
  {
    channel: 'mutual TLS',
    connection: { protocol: 'http/1.1', tls: { alpn: ['mesh-http/1.1'], identities } },
    request,
  },
  { channel: 'mutual TLS', connection: { protocol: 'bytes', tls: { alpn: ['mesh'], identities } } },
  { channel: 'plain text', connection: { protocol: 'http/1.1' }, request },
  { channel: 'plain text', connection: { protocol: 'bytes' } },
  { channel: 'own TLS', connection: { protocol: 'bytes', tls: { alpn: ['h2', 'http/1.1'] } } },
];

function gatewayEntrances(workload: MeshWorkload, { listeners }: LiftedProxy, wordsOf: RuleWords): readonly Entrance[] {
  const own = [...listeners.values()].filter(({ name }) => !name.startsWith('virtual'));
  return own.flatMap(({ addresses, chains, defaultChain, gap }) => {
    const port = addresses[0]?.port ?? 0;
    const at = { port, services: servicesAt(workload, port) };
    if (gap !== undefined) {
      return [{ ...at, serverNames: [], letsIn: [`not known: ${gap} of the configuration is not understood`] }];
    }
    return [...chains, ...(defaultChain === undefined ? [] : [defaultChain])].map((chain) => ({
      ...at,
      serverNames: chain.match.serverNames,
      letsIn: sentencesOf([{ channel: gatewayChannel(chain), ...admissionOf(chain, wordsOf) }]),
    }));
  });
}

function gatewayChannel({ tls, match }: Chain): WayIn['channel'] {
  if (tls !== undefined) return tls.requiresCertificate ? 'TLS with a client certificate' : 'TLS';
  return match.serverNames.length > 0 ? 'TLS that is passed through' : 'plain text';
}
