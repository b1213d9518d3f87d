import { isIpAddress } from '../model/address-block.ts';
import { type LackedPart, lackedPart } from './lacked-part.ts';
import type { LogValue } from './log-format.ts';

/** What one line of an access log tells of a request or a connection; what it does not tell is absent. */
export interface LoggedRequest {
  /** Where the client's connection went. */
  readonly destination?: SocketPlace;
  /** Where it came from: for requests what forwarding headers say, if Envoy believes them. */
  readonly source?: SocketPlace;
  /** Whether the format tells the identity of clients. */
  readonly tellsIdentity: boolean;
  /** URI SAN of the client's certificate. */
  readonly identity?: string;
  /** Of the client's TLS handshake. */
  readonly serverName?: string;
  readonly cluster?: string;
  /** `bytes` if the line is of a connection. */
  readonly protocol: 'http/1.1' | 'h2' | 'bytes';
  readonly method?: string;
  readonly path?: string;
  readonly authority?: string;
  /** Headers beside pseudo headers. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** What the format tells, also where this line has no value of it. */
  readonly tells: ToldParts;
  /** Where the request was sent on to. */
  readonly upstreamHost?: SocketPlace;
  /** The line says that no server had it, for want of this. */
  readonly lacked?: LackedPart;
  /** 0 if there was no answer. */
  readonly status?: number;
  /** Why, in Envoy's words: of the answer, or of the end of the connection. */
  readonly details?: string;
  /** Seconds since 1970. */
  readonly startedAt?: number;
}

/** Parts of requests that a format tells whole. */
export interface ToldParts {
  /** Names of headers, in lower case. */
  readonly headers: readonly string[];
  readonly serverName: boolean;
  /** The socket's own peer, whatever forwarding headers say. */
  readonly directAddress: boolean;
  /** Why the request was answered, or the connection ended. */
  readonly details: boolean;
  /** `original`: as it was before the first proxy that rewrote it; `last`: as it went on. */
  readonly path: 'original' | 'last';
}

export interface SocketPlace {
  readonly address: string;
  readonly port: number;
}

/** What the values of a line mean for a prediction. */
export function loggedRequest(values: readonly LogValue[]): LoggedRequest {
  const find = (name: string, argument = ''): string | undefined =>
    values.find(({ operator }) => operator.name === name && operator.argument === argument && operator)?.value;
  const header = (name: string): string | undefined => headerValue(values, name);
  const protocol = find('PROTOCOL');
  const method = header(':method');
  const isConnection = protocol === undefined && method === undefined;
  const status = find('RESPONSE_CODE');
  const startedAt = Date.parse(find('START_TIME') ?? '') / 1000;
  return {
    ...defined('destination', socketPlace(find('DOWNSTREAM_LOCAL_ADDRESS'))),
    ...defined('source', socketPlace(find('DOWNSTREAM_DIRECT_REMOTE_ADDRESS') ?? find('DOWNSTREAM_REMOTE_ADDRESS'))),
    tellsIdentity: values.some(({ operator }) => operator.name === 'DOWNSTREAM_PEER_URI_SAN'),
    ...defined('identity', find('DOWNSTREAM_PEER_URI_SAN')),
    ...defined('serverName', find('REQUESTED_SERVER_NAME')),
    ...defined('cluster', find('UPSTREAM_CLUSTER') ?? find('UPSTREAM_CLUSTER_RAW')),
    protocol: isConnection ? 'bytes' : protocol === 'HTTP/2' ? 'h2' : 'http/1.1',
    ...defined('method', method),
    ...defined('path', header(':path')),
    ...defined('authority', header(':authority')),
    headers: toldHeaders(values).flatMap((name) => {
      const value = header(name);
      return value === undefined ? [] : [[name, value] as const];
    }),
    tells: toldParts(values),
    ...defined('upstreamHost', socketPlace(find('UPSTREAM_HOST'))),
    ...defined('lacked', lackedPart(values, isConnection)),
    ...defined('status', /^\d+$/.test(status ?? '') ? Number(status) : undefined),
    ...defined('details', find('RESPONSE_CODE_DETAILS') ?? find('CONNECTION_TERMINATION_DETAILS')),
    ...defined('startedAt', Number.isNaN(startedAt) ? undefined : startedAt),
  };
}

function toldParts(values: readonly LogValue[]): ToldParts {
  const has = (name: string): boolean => values.some(({ operator }) => operator.name === name);
  return {
    headers: toldHeaders(values),
    serverName: has('REQUESTED_SERVER_NAME'),
    directAddress: has('DOWNSTREAM_DIRECT_REMOTE_ADDRESS'),
    details: has('RESPONSE_CODE_DETAILS') || has('CONNECTION_TERMINATION_DETAILS'),
    path: values.some(({ operator: { name, argument } }) => name === 'REQ' && argument === ':path')
      ? 'last'
      : 'original',
  };
}

/** Those that the line has whole, by their names; a format may have one twice. */
function toldHeaders(values: readonly LogValue[]): readonly string[] {
  const names = values.flatMap((one) => {
    const { name, argument } = one.operator;
    return name === 'REQ' && !/[:?]/.test(argument) && isWhole(one) ? [argument] : [];
  });
  return [...new Set(names)];
}

function defined<Key extends string, Value>(key: Key, value: Value | undefined): { readonly [K in Key]?: Value } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [K in Key]: Value });
}

/** By its name, else as the first or second of two (`X?Y`); undefined where it may have been cut. */
function headerValue(values: readonly LogValue[], name: string): string | undefined {
  const headers = values.filter((one) => one.operator.name === 'REQ' && isWhole(one));
  const found =
    headers.find(({ operator }) => operator.argument === name) ??
    headers.find(({ operator }) => operator.argument.split('?').includes(name));
  return found?.value;
}

function isWhole({ operator: { limit }, value = '' }: LogValue): boolean {
  return limit === undefined || value.length < limit;
}

/** `10.0.0.1:80` or `[fd00::1]:80`. */
function socketPlace(text: string | undefined): SocketPlace | undefined {
  const [, bare, bracketed, port] = /^(?:([^:[\]]+)|\[([^\]]+)\]):(\d+)$/.exec(text ?? '') ?? [];
  const address = bare ?? bracketed;
  if (address === undefined || port === undefined || !isIpAddress(address)) return undefined;
  return { address, port: Number(port) };
}
