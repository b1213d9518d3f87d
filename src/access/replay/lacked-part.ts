import type { LogValue } from './log-format.ts';

/**
 * What a proxy lacked, so that no server had the request or the connection: a server, a connection to one, or a way to any: a route,
 * or a filter chain.
 */
export type LackedPart = 'server' | 'connection' | 'way';

/**
 * What a line says of that: by the reason of the answer, else by Envoy's flags, which connections have too. Flags of what
 * becomes of a request that a server has (UC, UR, UT, LR) say nothing of it.
 */
export function lackedPart(values: readonly LogValue[], isConnection: boolean): LackedPart | undefined {
  const textOf = (name: RegExp): string =>
    values.find(({ operator, value }) => name.test(operator.name) && value !== undefined)?.value ?? '';
  const details = textOf(/^RESPONSE_CODE_DETAILS$/);
  if (details === 'via_upstream') return undefined;
  const flags = textOf(/^RESPONSE_FLAGS(?:_LONG)?$/).split(',');
  // Each attempt of a request that is sent again may have had a server; those of a connection had none.
  const of = isConnection ? { ...lackedBy, ...lackedByConnections } : lackedBy;
  const part = ofDetails(details) ?? flags.flatMap((flag) => (Object.hasOwn(of, flag) ? [of[flag]] : []))[0];
  // The last attempt found nobody, an earlier one did.
  return part === 'server' && textOf(/^UPSTREAM_HOST$/) !== '' ? undefined : part;
}

/** Of answers of a proxy itself, and of connections that it closes for want of a server. */
export const detailsOfNobody: ReadonlySet<string> = new Set(['no_healthy_upstream', 'cluster_not_found']);

function ofDetails(details: string): LackedPart | undefined {
  if (detailsOfNobody.has(details)) return 'server';
  return unconnected.test(details) ? 'connection' : undefined;
}

/** How Envoy writes it depends on its version: with blanks or not, and with the side that failed or not. */
const unconnected =
  /^upstream_reset_before_response_started\{(?:(?:local_|remote_)?connection[ _]failure|connection[ _]timeout|overflow)\b/;

/** By the flags' short and long names, which say that the proxy answered without a server. */
const lackedBy: Readonly<Record<string, LackedPart>> = {
  UH: 'server',
  NoHealthyUpstream: 'server',
  NC: 'server',
  NoClusterFound: 'server',
  UF: 'connection',
  UpstreamConnectionFailure: 'connection',
  UO: 'connection',
  UpstreamOverflow: 'connection',
  NR: 'way',
  NoRouteFound: 'way',
  // The proxy answers requests of health checks itself.
  LH: 'way',
  FailedLocalHealthCheck: 'way',
};
const lackedByConnections: Readonly<Record<string, LackedPart>> = {
  URX: 'connection',
  UpstreamRetryLimitExceeded: 'connection',
};
