import { createRenderer } from '../compiler/render/render.ts';
import { type EnvoyConfig, messageTypes, type Resource, type ResourceType } from '../compiler/render/resource.ts';
import { withResources } from '../compiler/render/testing/with-resources.ts';
import { verify } from '../compiler/verify/verify.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { canonicalMessage } from '../envoy/api/canonical.ts';
import { sampleProxy } from './sample-proxy.ts';

/** Rendered JSON, to be edited freely. */
// biome-ignore lint/suspicious/noExplicitAny: tests break rendered JSON in every way that a template could
export type Json = any;

/** The proxy that is edited. */
export const proxy = sampleProxy();
/** Its configuration by the built-in templates. */
export const sample = createRenderer().render(proxy, new DiagnosticBag()) as EnvoyConfig;

/** What `verify` says of a configuration, as `code: message`. */
export function verified(config: EnvoyConfig, of = proxy): string[] {
  const bag = new DiagnosticBag();
  verify(of, config, bag);
  return bag.all.map(({ code, message }) => `${code}: ${message}`);
}

/** The sample with one resource's JSON edited, as a template of the user could have written it. */
export function edited(type: ResourceType, name: string, edit: (json: Json) => void): EnvoyConfig {
  const change = (resource: Resource): Resource => {
    if (resource.type !== type || resource.name !== name) return resource;
    const json = structuredClone(resource.json);
    edit(json);
    return { ...resource, json: canonicalMessage(messageTypes[type], json).json };
  };
  return withResources(sample, {
    bootstrap: change(sample.bootstrap),
    listeners: sample.listeners.map(change),
    clusters: sample.clusters.map(change),
    routes: sample.routes.map(change),
  });
}

/** The sample with its inbound listener edited; the others below edit a part of it, or another resource. */
export const inbound = (edit: (json: Json) => void): EnvoyConfig => edited('listener', 'virtualInbound', edit);
export const inboundChain = (edit: (chain: Json) => void): EnvoyConfig =>
  inbound((json) => edit(json.filter_chains[1]));
export const inboundHttp = (edit: (config: Json) => void): EnvoyConfig =>
  inboundChain((chain) => edit(chain.filters[0].typed_config));
export const inboundTls = (edit: (context: Json) => void): EnvoyConfig =>
  inboundChain((chain) => edit(chain.transport_socket.typed_config));
export const api = (edit: (json: Json) => void): EnvoyConfig =>
  edited('cluster', 'outbound|8000||api.b.svc.cluster.local', edit);
export const foreign = (edit: (json: Json) => void): EnvoyConfig =>
  edited('cluster', 'outbound|9000||tls.example.com', edit);
export const routes = (edit: (json: Json) => void): EnvoyConfig =>
  edited('route', 'api.b.svc.cluster.local:8000', edit);
