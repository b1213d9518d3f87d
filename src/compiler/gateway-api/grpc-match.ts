import type { GrpcRouteMatch } from '../../policy/gateway-api.ts';
import type { StringMatch } from '../../policy/virtual-service.ts';
import { conditions, type MatchPart } from './http-match.ts';

/** What a match of a GRPCRoute is in a VirtualService: a call is a request for the path `/<service>/<method>`. */
export function grpcParts({ method, headers = [] }: GrpcRouteMatch): readonly MatchPart[] {
  const rest = headers.length === 0 ? {} : { headers: conditions(headers) };
  return [{ match: { uri: method === undefined ? { prefix: '/' } : pathOf(method), ...rest }, isPrefix: false }];
}

function pathOf({ type, service, method }: NonNullable<GrpcRouteMatch['method']>): StringMatch {
  if (type === 'RegularExpression') return { regex: `/${expression(service)}/${expression(method)}` };
  if (service === undefined) return { regex: `/${anyName}/${method}` };
  return method === undefined ? { prefix: `/${service}/` } : { exact: `/${service}/${method}` };
}

const anyName = '[^/]+';

function expression(written: string | undefined): string {
  return written === undefined ? anyName : `(?:${written})`;
}

/**
 * Place in the order of matches: exact names before expressions, then the longer service, the longer method, more headers. The
 * larger comes first, number by number.
 */
export function grpcRank({ method, headers = [] }: GrpcRouteMatch): readonly number[] {
  const { type, service = '', method: name = '' } = method ?? {};
  const kind = method === undefined ? 0 : type === 'RegularExpression' ? 1 : 2;
  return [kind, service.length, name.length, headers.length];
}
