import type { Outcome } from '../outcome.ts';
import type { RequestView } from './request-view.ts';

const types: ReadonlySet<string> = new Set([
  'application/grpc-web',
  'application/grpc-web+proto',
  'application/grpc-web-text',
  'application/grpc-web-text+proto',
]);

/** What the filter changes, beside the type. */
const changed = ['content-length', 'te', 'grpc-accept-encoding'];

/** Makes a request of gRPC-Web one of gRPC for what comes behind (Envoy's GrpcWebFilter::decodeHeaders). */
export function translateGrpcWeb(view: RequestView): Outcome | undefined {
  const { headers, opaque } = view;
  if (opaque.includes('content-type')) return { kind: 'unmodelled', at: 'the header content-type' };
  if (!headers.isTold('content-type')) {
    for (const name of changed) headers.forget(name);
    return undefined;
  }
  if (!types.has(headers.get('content-type')[0] ?? '')) return undefined;
  headers.delete('content-length');
  headers.set('content-type', 'application/grpc');
  headers.set('te', 'trailers');
  view.setOpaque('te', false);
  if (headers.isTold('grpc-accept-encoding') && !headers.has('grpc-accept-encoding')) {
    headers.set('grpc-accept-encoding', 'identity');
  }
  return undefined;
}
