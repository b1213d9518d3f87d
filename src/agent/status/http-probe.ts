import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import type { HttpProbe } from './app-probe.ts';
import { dial, type PodAddresses } from './dial.ts';
import { fetchFromPod, type PodAnswer } from './pod-request.ts';

/** What a probe is answered with. */
export interface ProbeAnswer {
  readonly status: number;
  readonly body: Buffer;
}

/** As the kubelet's own probes have it. */
const maxBodyBytes = 10 * 1_024;
const maxRedirects = 10;

/**
 * Asks the application over HTTP with the caller's headers and the probe's own over them. A redirect on the same host is
 * followed. One to another host counts as success and is not followed, as in the kubelet: the application has answered.
 * Throws when there is no answer, and after ten redirects.
 */
export async function probeHttp(
  probe: HttpProbe,
  incoming: IncomingHttpHeaders,
  addresses: PodAddresses,
  signal: AbortSignal,
): Promise<ProbeAnswer> {
  const caller = withoutPort(incoming.host ?? '');
  const named = probe.host ?? `${caller === '' ? 'localhost' : caller}:${probe.port}`;
  const headers = {
    ...forwarded(incoming),
    ...Object.fromEntries(probe.headers.map(([name, value]) => [name.toLowerCase(), value])),
  };
  let target: Target = { isTls: probe.isTls, host: named, port: probe.port, path: probe.path };
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const { status, headers: answered, body } = await ask(target, headers, addresses, signal);
    const location = status >= 300 && status < 400 && status !== 304 ? answered.location : undefined;
    if (location === undefined) return { status, body };
    const next = redirected(target, location, new Set([hostName(named), ...addresses]));
    if (next === undefined) return { status: 200, body };
    if (probe.reservedPorts.has(next.port)) throw new Error(`a redirect leads to port ${next.port} of the proxy`);
    target = next;
  }
  throw new Error(`stopped after ${maxRedirects} redirects`);
}

interface Target {
  readonly isTls: boolean;
  /** Value of the header `host`. */
  readonly host: string;
  readonly port: number;
  readonly path: string;
}

async function ask(
  { isTls, host, port, path }: Target,
  headers: OutgoingHttpHeaders,
  addresses: PodAddresses,
  signal: AbortSignal,
): Promise<PodAnswer> {
  const socket = await dial(addresses, port, signal);
  return fetchFromPod({ socket, isTls, host, path, headers, maxBytes: maxBodyBytes, onLonger: 'cut', signal });
}

/** Where `location` leads to; undefined when that is another host, or nowhere. */
function redirected(from: Target, location: string, names: ReadonlySet<string>): Target | undefined {
  const base = `${from.isTls ? 'https' : 'http'}://${from.host}${from.path}`;
  if (!URL.canParse(location, base)) return undefined;
  const url = new URL(location, base);
  const isTls = url.protocol === 'https:';
  if ((!isTls && url.protocol !== 'http:') || !names.has(hostName(url.host))) return undefined;
  // A relative location stays on the port that was asked, whatever the header `host` says.
  const isRelative = !/^([a-z][a-z\d+.-]*:)?\/\//i.test(location);
  const port = isRelative ? from.port : Number(url.port || (isTls ? 443 : 80));
  return { isTls, host: url.host, port, path: `${url.pathname}${url.search}` };
}

function withoutPort(host: string): string {
  return host.replace(/:\d*$/, '');
}

/** Without its port, and without the brackets of an IPv6 address. */
function hostName(host: string): string {
  return withoutPort(host)
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase();
}

/** RFC 9110 section 7.6.1, and what frames a body: there is none. */
const hopByHop = [
  'connection',
  'content-length',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
];
/** Whoever reaches the status port passed no policy: nothing that proves who somebody is goes on to the application. */
const credentials = /^(authorization|cookie2?|forwarded|proxy-.*|x-real-ip|x-forwarded-.*|x-envoy-.*|x-mesh-.*)$/;

function forwarded(incoming: IncomingHttpHeaders): OutgoingHttpHeaders {
  const named = (incoming.connection ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  const kept = Object.entries(incoming).filter(
    ([name]) => !hopByHop.includes(name) && !named.includes(name) && !credentials.test(name),
  );
  return Object.fromEntries(kept);
}
