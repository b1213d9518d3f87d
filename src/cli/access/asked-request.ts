import type { AccessRequest } from '../../access/evaluate/access-request.ts';
import type { Client } from '../../access/evaluate/client.ts';
import { LogReader, type LogSettings } from '../../access/replay/known-formats.ts';
import { locate } from '../../access/replay/locate.ts';
import { type LoggedRequest, loggedRequest } from '../../access/replay/logged-request.ts';
import { addressesOf, authorityOf, requireClient, resolvedAddress, type Target } from '../../access/resolve-target.ts';
import { findService, keyOf, type World } from '../../access/world.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { plainTextAssumption, tlsAssumption, withOwnTls } from './own-tls.ts';

/** The options of `meshpol explain` that say which request is meant. */
export interface RequestOptions {
  readonly from?: Client;
  readonly to?: Target;
  readonly method?: string;
  readonly path?: string;
  readonly header?: readonly (readonly [name: string, value: string])[];
  readonly host?: string;
  /** The server name that the client asks for in TLS of its own. */
  readonly sni?: string;
  readonly protocol?: 'http' | 'http2' | 'tcp';
  readonly logLine?: string;
  readonly authorizer?: NonNullable<AccessRequest['authorizer']>;
  readonly token?: string;
  readonly claims?: Readonly<Record<string, unknown>>;
}

/** The request that is asked about. */
export interface AskedRequest {
  /** One for each address that its client may connect to. */
  readonly accesses: readonly AccessRequest[];
  /** Services (`namespace/name`) whose address is one of those. */
  readonly services: readonly string[];
  /** Sentences about what was assumed where the options say nothing. */
  readonly assumptions: readonly string[];
  /** What the line of the log tells. */
  readonly logged?: LoggedRequest;
}

/** Finds client and destination in the mesh; throws a UsageError where the options or the line do not say enough. */
export function askedRequest(world: World, options: RequestOptions, settings: LogSettings): AskedRequest {
  const logged = options.logLine === undefined ? undefined : readLine(options.logLine, settings);
  const located = logged === undefined ? undefined : locateAsked(world, logged, options);
  const client = options.from ?? located?.from;
  if (client === undefined) throw missing('--from <client>');
  const { sni, protocol = protocolOf(logged) } = options;
  const from = sni === undefined ? client : withOwnTls(client, sni, protocol);
  requireClient(world, from);
  const { to } = options;
  const addresses = to === undefined ? located && [located.to] : addressesOf(world, from, to);
  if (addresses === undefined) throw missing('--to <target>');
  const service =
    to?.kind === 'host' ? findService(world, to.host, from.kind === 'workload' ? from.namespace : '') : undefined;
  const port = service?.ports.find(({ number }) => number === to?.port) ?? service?.ports[0];
  const plainText = protocol === 'tcp' ? undefined : plainTextAssumption(from, port?.protocol);
  const isResolved = addresses.some(({ address }) => address === resolvedAddress);
  return {
    accesses: addresses.map((address) => accessRequest({ ...options, from }, address, logged)),
    services: service === undefined ? [] : [keyOf({ ...service, name: service.host.split('.')[0] ?? '' })],
    assumptions: [
      ...(logged === undefined ? [tlsAssumption(from), plainText].filter((text) => text !== undefined) : []),
      ...(isResolved ? [`the host of --to resolves to ${resolvedAddress}, where no workload is`] : []),
      ...(located?.assumptions ?? []),
      ...(logged === undefined ? [] : notTold(logged, options)),
    ],
    ...(logged !== undefined && { logged }),
  };
}

function missing(option: string): UsageError {
  return new UsageError(`required option '${option}' not specified`);
}

function readLine(line: string, settings: LogSettings): LoggedRequest {
  const read = new LogReader(settings).read(line);
  if ('fault' in read) throw new UsageError(`--log-line: ${read.fault}`);
  return loggedRequest(read.values);
}

/** Undefined where the options say both client and destination. */
function locateAsked(world: World, logged: LoggedRequest, { from, to }: RequestOptions) {
  if (from !== undefined && to !== undefined) return undefined;
  const located = locate(world, logged);
  if (typeof located === 'string') throw new UsageError(`--log-line: ${located}`);
  return located;
}

function protocolOf(logged: LoggedRequest | undefined): NonNullable<RequestOptions['protocol']> {
  if (logged?.protocol === 'bytes') return 'tcp';
  return logged?.protocol === 'h2' ? 'http2' : 'http';
}

const protocols = { http: 'http/1.1', http2: 'h2', tcp: 'bytes' } as const;

function accessRequest(
  options: RequestOptions & { readonly from: Client },
  to: AccessRequest['to'],
  logged: LoggedRequest | undefined,
): AccessRequest {
  const { from, header = [], authorizer } = options;
  const common = { from, to, authorizer };
  const protocol = options.protocol === undefined ? (logged?.protocol ?? 'http/1.1') : protocols[options.protocol];
  if (protocol === 'bytes') return { ...common, protocol };
  const method = options.method ?? (logged === undefined ? 'GET' : told(logged.method, 'method', '--method'));
  const path = options.path ?? (logged === undefined ? '/' : told(logged.path, 'path', '--path'));
  const authority = options.host ?? logged?.authority ?? authorityOf(options.to, to);
  const given = new Set(header.map(([name]) => name.toLowerCase()));
  const others = logged?.headers.filter(([name]) => !given.has(name)) ?? [];
  return { ...common, protocol, request: { method, path, authority, headers: [...others, ...header] } };
}

function told(value: string | undefined, name: string, option: string): string {
  if (value !== undefined) return value;
  throw new UsageError(`--log-line: the line does not tell the whole ${name} of the request: add ${option}`);
}

function notTold(
  { protocol, headers, authority }: LoggedRequest,
  { token, claims }: RequestOptions,
): readonly string[] {
  if (protocol === 'bytes') return [];
  const names = headers.map(([name]) => name);
  const beside = names.length === 0 ? '' : ` but ${names.join(', ')}`;
  return [
    `the line does not tell headers of the request${beside}: it has no others${token === undefined && claims === undefined ? ', and no token' : ''}`,
    ...(authority === undefined
      ? ['the line does not tell the host of the request: it is that of the destination']
      : []),
  ];
}
