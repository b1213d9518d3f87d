import type { HeaderLines } from '../model/header-lines.ts';

/** They tell Envoy's router what to do. */
const ofRouter = [
  'x-envoy-expected-rq-timeout-ms',
  'x-envoy-force-trace',
  'x-envoy-hedge-on-per-try-timeout',
  'x-envoy-internal',
  'x-envoy-ip-tags',
  'x-envoy-max-retries',
  'x-envoy-retriable-header-names',
  'x-envoy-retriable-status-codes',
  'x-envoy-retry-grpc-on',
  'x-envoy-retry-on',
  'x-envoy-upstream-alt-stat-name',
  'x-envoy-upstream-rq-per-try-timeout-ms',
  'x-envoy-upstream-rq-timeout-alt-response',
  'x-envoy-upstream-rq-timeout-ms',
  'x-envoy-upstream-stream-duration-ms',
] as const;

/** They tell what a proxy before did. */
const ofProxyBefore = [
  'x-envoy-decorator-operation',
  'x-envoy-downstream-service-cluster',
  'x-envoy-downstream-service-node',
  'x-envoy-original-host',
  'x-envoy-original-path',
] as const;

/** Headers that a connection manager may remove since the client is not internal. */
export const internalHeaders: ReadonlySet<string> = new Set([...ofRouter, ...ofProxyBefore]);

/**
 * Removes headers that Envoy believes of internal clients alone, before any filter sees them: without a list of internal
 * addresses there are none (Envoy's ConnectionManagerUtility::cleanInternalHeaders). Where the mesh begins, those of a proxy
 * before go too.
 */
export function removeInternalHeaders(headers: HeaderLines, isEdge: boolean): void {
  if (headers.told === undefined && !headers.hasAny(internalHeaders)) return;
  for (const name of ofRouter) headers.delete(name);
  if (isEdge) for (const name of ofProxyBefore) headers.delete(name);
}
