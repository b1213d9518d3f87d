import type { IncomingHttpHeaders } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { AdminAddress } from '../../envoy/admin.ts';
import { dial, type PodAddresses } from './dial.ts';
import { isPlainMetrics, plainFromOpenMetrics } from './merge-metrics.ts';
import { fetchFromPod, type PodAnswer } from './pod-request.ts';
import type { ScrapeTarget } from './scrape-targets.ts';

/** Of each part: metrics of a hundred thousand series, and nothing that exhausts the agent. */
const maxBytes = 10 * 1_024 * 1_024;
/** Protobuf cannot be merged with text; OpenMetrics of one part cannot with the others' older text. */
const accept = 'text/plain;version=0.0.4, text/plain;q=0.5, */*;q=0.1';

/** Envoy's own metrics, from its admin interface. `query` is the scraper's; of it only what narrows the answer is kept. */
export async function scrapeEnvoy(address: AdminAddress, query: string, signal: AbortSignal): Promise<Buffer> {
  const socket = await adminSocket(address, signal);
  const path = `/stats/prometheus${narrowing(query)}`;
  const headers = { accept };
  const asked = { socket, isTls: false, host: 'localhost', path, headers, maxBytes, signal } as const;
  return textOf(await fetchFromPod({ ...asked, onLonger: 'refuse' }));
}

/** The application's metrics, asked for with the scraper's name and time. */
export async function scrapeApplication(
  { port, path }: ScrapeTarget,
  addresses: PodAddresses,
  incoming: IncomingHttpHeaders,
  signal: AbortSignal,
): Promise<Buffer> {
  const socket = await dial(addresses, port, signal);
  const timeout = incoming['x-prometheus-scrape-timeout-seconds'];
  const headers = {
    accept: textTypes(incoming.accept),
    'user-agent': incoming['user-agent'] ?? 'mesh-agent',
    ...(timeout !== undefined && { 'x-prometheus-scrape-timeout-seconds': timeout }),
  };
  const asked = { socket, isTls: false, host: `localhost:${port}`, path, headers, maxBytes, signal } as const;
  const text = textOf(await fetchFromPod({ ...asked, onLonger: 'refuse' }));
  if (!isPlainMetrics(text.toString('latin1'))) throw new Error('the answer is not in the text form of Prometheus');
  return text;
}

/** What the scraper accepts of plain text, its parameters included; ours when it names none. */
function textTypes(accepted: string | undefined): string {
  const types = (accepted ?? '').split(',').map((type) => type.trim());
  const plain = types.filter((type) => /^text\/plain(;|$)/i.test(type) && !/version=(?!0\.0\.4)/.test(type));
  return plain.length === 0 ? accept : plain.join(', ');
}

function textOf({ status, headers, body }: PodAnswer): Buffer {
  if (status !== 200) throw new Error(`the answer is ${status}`);
  const [type = ''] = (headers['content-type'] ?? '').toLowerCase().split(';');
  if (headers['content-encoding'] !== undefined)
    throw new Error('the answer is compressed without having been asked to be');
  if (type === 'application/openmetrics-text') return Buffer.from(plainFromOpenMetrics(body.toString()));
  return withoutEnd(body);
}

/** Without OpenMetrics' mark of the end, which some give in plain text too: what follows it would not be read. */
function withoutEnd(body: Buffer): Buffer {
  const end = body.lastIndexOf('# EOF');
  const isMark =
    end >= 0 && body.subarray(end).toString().trimEnd() === '# EOF' && (end === 0 || body[end - 1] === 0x0a);
  return isMark ? body.subarray(0, end) : body;
}

/** Of Envoy's parameters those that change which metrics are given, never the form they are given in. */
function narrowing(query: string): string {
  const kept = new URLSearchParams();
  for (const [name, value] of new URLSearchParams(query)) {
    const isFilter = name === 'filter' && value.length <= 1_000;
    if (isFilter || (['usedonly', 'text_readouts'].includes(name) && value === '')) kept.set(name, value);
  }
  const text = kept.toString();
  return text === '' ? '' : `?${text}`;
}

async function adminSocket(address: AdminAddress, signal: AbortSignal): Promise<Socket> {
  const place = 'port' in address ? { host: '127.0.0.1', ...address } : { path: address.socketPath };
  const socket = connect(place);
  signal.addEventListener('abort', () => socket.destroy(signal.reason), { once: true });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.on('error', reject);
  });
  return socket;
}
