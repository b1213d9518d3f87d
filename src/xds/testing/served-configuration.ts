import { encodeMessage } from '../../envoy/api/encode.ts';
import { type ConfigurationList, configurationSteps, configurationTypes } from '../aggregated-service.ts';
import { contentVersion, type DiscoveryResource } from '../resource.ts';
import { ResourceStore } from '../resource-store.ts';
import type { StreamScope } from '../scope.ts';

type Json = Readonly<Record<string, unknown>>;

/** One store a type, the same for every client. */
export class ServedConfiguration {
  readonly stores = {
    clusters: new ResourceStore(configurationTypes.clusters),
    endpoints: new ResourceStore(configurationTypes.endpoints),
    listeners: new ResourceStore(configurationTypes.listeners),
    routes: new ResourceStore(configurationTypes.routes),
  } as const;

  /** Called whenever a client has answered all that it was sent. */
  onSettled: () => void = () => undefined;

  /** Replaces the resources of the lists that are given. */
  serve(lists: Partial<Readonly<Record<ConfigurationList, readonly Json[]>>>): void {
    for (const [list, messages] of Object.entries(lists)) {
      this.stores[list as ConfigurationList].replace(messages.map((json) => encoded(list as ConfigurationList, json)));
    }
  }

  scope(stepTimeoutMs = 5_000): StreamScope {
    const stores = Object.values(this.stores);
    return {
      sourceOf: (typeUrl) => stores.find(({ type }) => type.typeUrl === typeUrl),
      steps: configurationSteps,
      stepTimeoutMs,
      mostNames: () => 1_000,
      settled: () => this.onSettled(),
      onChange: (listener) => {
        const ends = stores.map((store) => store.onChange(listener));
        return () => {
          for (const end of ends) end();
        };
      },
    };
  }
}

function encoded(list: ConfigurationList, json: Json): DiscoveryResource {
  const { typeUrl } = configurationTypes[list];
  const body = encodeMessage(typeUrl.slice('type.googleapis.com/'.length), json);
  return {
    name: String(json.name ?? json.cluster_name),
    version: contentVersion(Buffer.from(body).toString('latin1')),
    body,
  };
}
