import type { MeshFigures } from '../compiler/mesh-figures.ts';
import type { SettingsOptions } from '../config/read.ts';
import type { JudgeKeys } from '../envoy/judge-keys.ts';
import type { SourceFile } from '../source/document.ts';
import type { FixedInputs } from './fixed-inputs.ts';
import type { RemoteKeySets } from './key-sets/gather.ts';
import type { ReadFiles } from './largest-files.ts';
import type { ProxyIdentity } from './node-id.ts';

/** Where the agent's inputs are. */
export interface ProxyInputs {
  readonly settings: SettingsOptions;
  /** Of `--policies`; `configSources` of the mesh configuration add theirs. */
  readonly policies: readonly string[];
  /** Objects of the Gateway API are not skipped (PILOT_ENABLED_SERVICE_APIS). */
  readonly readsGatewayApi?: boolean | undefined;
  /** What is read besides: the mesh configuration, templates. */
  readonly watched: readonly string[];
  /** A bootstrap template, or a folder of templates. */
  readonly templateFile: string | undefined;
  /** MESH_BOOTSTRAP_OVERRIDE */
  readonly bootstrapOverride?: string | undefined;
  /** Of the container; undefined without a limit. */
  readonly memoryLimitBytes?: number | undefined;
  /** Files that Envoy may have open; undefined where it is not known. */
  readonly descriptorLimit?: number | undefined;
  readonly identity: ProxyIdentity;
  /** Asked for when neither the identity nor the inputs know an address. */
  readonly ownAddresses?: () => Promise<readonly string[]>;
  readonly role: 'sidecar' | 'router';
  /** Name of the Secret that stands in for those that gateway servers name and that are not there. */
  readonly fallbackSecret: string;
  /** Where Secrets of gateway servers are looked for; undefined: the proxy's own namespace, and no other one. */
  readonly gatewayNamespace?: string | undefined;
  /** Keys that do not stand in a rule are fetched. */
  readonly keySets: RemoteKeySets;
  /** Refuses key sets of rules that Envoy would not take. */
  readonly judgeKeys?: JudgeKeys;
  /** Hears what each compilation that gave a configuration counted. */
  readonly onFigures?: (figures: MeshFigures) => void;
  /** The last valid inputs of a compile function before this one. */
  readonly good?: GoodState | undefined;
  /** Hears of inputs that are in force: from now on they are the last valid ones. */
  readonly onAccept?: (good: GoodState) => void;
  /** Hears what each compilation read, before it is compiled. */
  readonly onRead?: (read: ReadFiles) => void;
  /** What is larger throws `InputsTooLarge` before it is parsed; absent: nothing is too large. */
  readonly maxCharacters?: () => number;
}

/** Inputs that are in force. */
export interface GoodState {
  readonly files: readonly SourceFile[];
  /** What they were compiled with. */
  readonly fixed: FixedInputs;
  /** The mesh configuration held something. */
  readonly saysSettings: boolean;
  /** Characters of the configuration that was made of them. */
  readonly outputLength: number;
  /** Uses of Secrets, as `ClosingSecrets.good` tells them, for which they could serve. */
  readonly goodSecrets: readonly string[];
  /** The root namespace that the objects decided on. */
  readonly rootBefore: string | undefined;
  /** Of the proxy, as they were found. */
  readonly addresses: readonly string[];
  /** Folders that held files, each with its place, as `placeOf` gives it. */
  readonly folders: readonly (readonly [folder: string, place: string])[];
}

/** The inputs are larger than the caller has time for. */
export class InputsTooLarge extends Error {}
