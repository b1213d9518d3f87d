import type { HttpRedirect, HttpRoute } from '../../../policy/virtual-service.ts';
import type { DirectResponseIR, RedirectIR } from '../../ir/route.ts';

/** Answers that need no destination: a redirect. */
export function redirect(wanted: HttpRedirect, listenPort: number): RedirectIR {
  // Envoy cannot take the port from the request; the listener has only one.
  const port = wanted.port ?? (wanted.derivePort === 'FROM_REQUEST_PORT' ? listenPort : undefined);
  return {
    kind: 'redirect',
    status: (wanted.redirectCode || 301) as RedirectIR['status'],
    ...(wanted.scheme === undefined ? {} : { scheme: wanted.scheme }),
    ...(wanted.authority === undefined ? {} : { host: wanted.authority }),
    ...(port === undefined ? {} : { port }),
    ...(wanted.uri === undefined ? {} : { path: wanted.uri }),
  };
}

/** Answers that need no destination: a status, perhaps with a body. */
export function directResponse({ status, body }: NonNullable<HttpRoute['directResponse']>): DirectResponseIR {
  const content =
    body?.string !== undefined ? { text: body.string } : body?.bytes !== undefined ? { base64: body.bytes } : undefined;
  return { kind: 'direct-response', status, ...(content === undefined ? {} : { body: content }) };
}
