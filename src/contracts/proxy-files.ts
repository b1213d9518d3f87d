import type { Json, ResourceFile } from '../envoy/api/resource-file.ts';
import type { GatewaySecretTexts } from './gateway-secret-texts.ts';

/** One proxy's configuration, in the files of its folder. */
export interface ProxyFiles {
  /** `bootstrap.json` */
  readonly bootstrap: Json;
  /** Envoy's worker threads, where a ProxyConfig says so; 0: one a processor. Absent: as the settings say. */
  readonly concurrency?: number;
  /** `clusters.json` */
  readonly clusters: ResourceFile;
  /** `listeners.json` */
  readonly listeners: ResourceFile;
  /** File name under `routes/` to the file of one RouteConfiguration. */
  readonly routes: ReadonlyMap<string, ResourceFile>;
  /** What Envoy does not read: `origins.json`, `mesh.json`. */
  readonly beside: TextsByName;
  /** What gateway servers ask for over SDS, by name; never written. Absent: none. */
  readonly secrets?: ReadonlyMap<string, GatewaySecretTexts>;
}

/** Texts by their names; some are put together only when they are asked for, elsewhere. A map of strings will do. */
export interface TextsByName {
  keys(): Iterable<string>;
  get(name: string): string | undefined | Promise<string | undefined>;
}

/** What `bootstrap.json` holds. */
export function bootstrapText(bootstrap: Json): string {
  return `${JSON.stringify(bootstrap, null, 2)}\n`;
}
