import type { AdminAddress } from '../../envoy/admin.ts';
import { asksForSecret } from '../../envoy/api/references.ts';
import type { ConfigParts } from '../../envoy/static-form.ts';
import { AgentError } from '../agent-error.ts';
import type { GatewaySecretTexts } from '../secrets/gateway-secrets.ts';
import type { NamedObject } from './observer.ts';

/** One proxy's configuration as texts, named as in its folder. */
export interface ProxyFiles {
  /** `bootstrap.json` */
  readonly bootstrap: string;
  /** `clusters.json`, a DiscoveryResponse. */
  readonly clusters: string;
  /** `listeners.json`, a DiscoveryResponse. */
  readonly listeners: string;
  /** File name under `routes/` to a DiscoveryResponse of one RouteConfiguration. */
  readonly routes: ReadonlyMap<string, string>;
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

/** Objects whose present version is at fault, so that their last good version was compiled. */
export interface HeldObjects {
  readonly objects: readonly NamedObject[];
  /** What is wrong with them, with file and line. */
  readonly problem: string;
}

/** Policies that differ from those in force, each as `KIND NAMESPACE/NAME`, sorted. */
export interface PolicyChanges {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** What the compile function gives: files, or why there are none, one text a mistake. */
export type CompileResult = {
  /** Files and folders that were read, where they may have become others since the start. */
  readonly inputs?: readonly string[];
} & (
  | {
      readonly files: ProxyFiles;
      readonly warnings: readonly string[];
      /** What is wrong with the inputs though nothing is refused or held, to be told as errors. Absent: nothing. */
      readonly alarms?: readonly string[];
      /** Since the inputs that were last in force. Absent: not known. */
      readonly changes?: PolicyChanges;
      /** Absent: none. */
      readonly held?: HeldObjects;
      /** The namespace whose policies hold for the whole mesh, and why it is that one. Absent: not known. */
      readonly rootNamespace?: { readonly name: string; readonly isDecided: boolean; readonly why: string };
      /** To be called when the files are in force: from now on these versions of the objects are the last good ones. */
      readonly accept?: () => void;
    }
  | {
      readonly problems: readonly string[];
      /** At fault, as far as that is known. */
      readonly objects?: readonly NamedObject[];
    }
  | {
      /** The world's: a folder that is not there, or not yet. */
      readonly failure: Error;
    }
);

/**
 * Compiles the agent's inputs as they are now. Throws when the environment fails before it is known what the inputs are. Where
 * `replaced` fires, newer inputs are there: what takes longer than usual may then end with a `ReplacedCompilation`.
 */
export type CompileProxy = (replaced?: AbortSignal) => Promise<CompileResult>;

/** Thrown by a compilation that ended before its end, since newer inputs are there. Says nothing about its inputs. */
export class ReplacedCompilation extends Error {}

export type Json = Readonly<Record<string, unknown>>;

/** `envoy.service.discovery.v3.DiscoveryResponse` in a file. */
export interface ResourceFile {
  readonly version_info: string;
  readonly resources: readonly Json[];
}

/** A DiscoveryResponse of nothing. */
export const noResources = '{"version_info":"","resources":[]}';

/** Parses a text that our own compiler wrote: anything else is a bug. */
export function parseResourceFile(text: string): ResourceFile {
  const file = JSON.parse(text) as ResourceFile;
  if (typeof file.version_info !== 'string' || !Array.isArray(file.resources)) {
    throw new Error('a compiled file is no DiscoveryResponse');
  }
  return file;
}

/** What the texts hold, for Envoy's static form. */
export function partsOf({ bootstrap, listeners, clusters, routes }: ProxyFiles): ConfigParts {
  return {
    bootstrap: JSON.parse(bootstrap) as Json,
    listeners: parseResourceFile(listeners).resources,
    clusters: parseResourceFile(clusters).resources,
    routes: [...routes.values()].flatMap((text) => parseResourceFile(text).resources),
  };
}

/** Name of a resource, as Envoy knows it. */
export function nameOf(resource: Json): string {
  return String(resource.name);
}

/** `version_info` of a text that our own compiler wrote; it stands first there, and a big text need not be parsed for it. */
export function versionOf(text: string): string {
  const [, version] = /^\{\s*"version_info":\s*"([\w+]*)"/.exec(text.slice(0, 200)) ?? [];
  return version ?? parseResourceFile(text).version_info;
}

/** Names of the route configurations that listeners ask for over `rds`, sorted; of the JSON text of a listener or more. */
export function routeNamesOf(listeners: string): readonly string[] {
  // In a string of JSON the quotes would be escaped: this matches keys alone.
  const found = listeners.matchAll(/"route_config_name":\s*("(?:[^"\\]|\\.)*")/g);
  return [...new Set([...found].map(([, name = '""']) => JSON.parse(name) as string))].sort();
}

/** Where the bootstrap puts Envoy's admin interface; a template of the user may have moved it. */
export function adminAddressOf({ bootstrap }: ProxyFiles): AdminAddress {
  const { admin } = JSON.parse(bootstrap) as {
    readonly admin?: {
      readonly address?: {
        readonly socket_address?: { readonly address: string; readonly port_value?: number };
        readonly pipe?: { readonly path: string };
      };
    };
  };
  const { socket_address: socket, pipe } = admin?.address ?? {};
  if (pipe !== undefined) return { socketPath: pipe.path };
  if (socket === undefined) {
    throw new AgentError('config-invalid', 'the bootstrap has no admin interface, which the agent needs');
  }
  if (socket.port_value === undefined || socket.port_value === 0) {
    throw new AgentError(
      'config-invalid',
      "the bootstrap puts Envoy's admin interface at port 0, where the agent cannot find it: name a port",
    );
  }
  const host = socket.address === '0.0.0.0' ? '127.0.0.1' : socket.address === '::' ? '::1' : socket.address;
  return { host, port: socket.port_value };
}

/** The workload's key pair and the mesh's roots, as SDS names them. */
const meshSecrets = new Set(['default', 'ROOTCA']);

/** Whether any part of the configuration asks for the workload's certificate or the mesh's roots. */
export function usesMeshSecrets({ bootstrap, clusters, listeners }: ProxyFiles): boolean {
  return [bootstrap, clusters, listeners].some((text) => asksForSecret(JSON.parse(text), meshSecrets));
}
