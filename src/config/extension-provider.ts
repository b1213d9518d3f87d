import type { JsonObject, JsonValue } from '../source/document.ts';
import { milliseconds, strings } from './field.ts';
import type { AuthorizerSettings, ExtensionProvider } from './settings.ts';

/** Longer than any answer that a client would wait for; Envoy's own 200 ms are too short for a first connection. */
const defaultTimeoutMs = 10_000;

/** One entry of `extensionProviders`; the schema has checked types and ranges. */
export function extensionProvider(entry: JsonObject): ExtensionProvider {
  const { name, envoyExtAuthzHttp, envoyExtAuthzGrpc } = entry;
  const fields = (envoyExtAuthzHttp ?? envoyExtAuthzGrpc) as JsonObject | undefined;
  const protocol = envoyExtAuthzHttp === undefined ? 'grpc' : 'http';
  return { name: String(name), authorizer: fields && authorizer(protocol, fields) };
}

function authorizer(protocol: AuthorizerSettings['protocol'], fields: JsonObject): AuthorizerSettings {
  const list = (value: JsonValue | undefined): readonly string[] => (value === undefined ? [] : strings(value));
  const body = fields.includeRequestBodyInCheck as JsonObject | undefined;
  return {
    protocol,
    service: String(fields.service),
    port: Number(fields.port),
    timeoutMs: fields.timeout === undefined ? defaultTimeoutMs : milliseconds(fields.timeout),
    failOpen: fields.failOpen === true,
    statusOnError: Number(fields.statusOnError ?? 403),
    clearRouteCache: fields.clearRouteCache === true,
    requestBody: body && {
      maxBytes: Number(body.maxRequestBytes),
      allowPartial: body.allowPartialMessage === true,
      asBytes: body.packAsBytes === true,
    },
    pathPrefix: String(fields.pathPrefix ?? ''),
    headersToAuthorizer: [...list(fields.includeRequestHeadersInCheck), ...list(fields.includeHeadersInCheck)],
    headersToAdd: (fields.includeAdditionalHeadersInCheck ?? {}) as Readonly<Record<string, string>>,
    headersToUpstream: list(fields.headersToUpstreamOnAllow),
    headersToDownstreamOnAllow: list(fields.headersToDownstreamOnAllow),
    headersToDownstreamOnDeny: list(fields.headersToDownstreamOnDeny),
  };
}
