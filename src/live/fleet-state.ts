import type { EnvoyConfig } from '../compiler/render/resource.ts';
import type { MeshObject } from '../policy/object.ts';
import type { SourceFile } from '../source/document.ts';
import { CutFiles } from './cut-files.ts';
import { olderObjects } from './frozen-objects.ts';
import { nameOfFile } from './good-versions.ts';

/** What a fleet has in force, in a form that may be copied: another fleet goes on with it as this one would. */
export interface FleetState {
  /** Of the inputs that were compiled last. */
  readonly version: string;
  /** The same inputs, with the last valid versions of faulty objects in their place. */
  readonly files: readonly SourceFile[];
  /** The root namespace that their objects decided on. */
  readonly rootBefore: string | undefined;
  /** Objects that are held, by their key, and the last version of the inputs in which each was sound. */
  readonly heldSince: readonly (readonly [key: string, version: string])[];
  /** Proxies that keep the policies of an older version. */
  readonly frozen: readonly FrozenProxies[];
  /** Keys of faults that nothing is held for, and the policies that may be behind them, one a file. Absent: none. */
  readonly lost?: { readonly keys: readonly string[]; readonly hidden: readonly SourceFile[] };
  /** Proxies (`<namespace>/<name>`) that were never good. */
  readonly denying: readonly string[];
}

/** Proxies that keep the same policies. */
export interface FrozenProxies {
  readonly version: string;
  /** `<namespace>/<name>` */
  readonly proxies: readonly string[];
  /** The policies, one a file. */
  readonly policies: readonly SourceFile[];
  /** What else there was with them that is gone or has changed since, in the same form. Absent: nothing. */
  readonly topology?: readonly SourceFile[];
}

/** What a proxy had when everything that it may depend on was last valid. */
export interface InForce {
  readonly version: string;
  readonly config: EnvoyConfig;
  readonly policies: readonly MeshObject<string>[];
  /** All objects of the version; after a restart, without policies. */
  readonly objects: readonly MeshObject<string>[];
  /** In which they stand. */
  readonly files: readonly SourceFile[];
}

/**
 * The proxies that keep the policies of another version than `version`, in groups of equal policies; `now` are the
 * objects of `version`.
 */
export function frozenGroups(
  proxies: ReadonlyMap<string, InForce>,
  version: string,
  now: readonly MeshObject<string>[],
): readonly FrozenProxies[] {
  const older = [...proxies].filter(([, inForce]) => inForce.version !== version);
  return [...new Set(older.map(([, { policies }]) => policies))].map((policies) => {
    const own = older.filter(([, inForce]) => inForce.policies === policies);
    const { version: since = version, files = [], objects = [] } = own[0]?.[1] ?? {};
    const topology = objectFiles(olderObjects(objects, now), files, 'object');
    return {
      ...{ version: since, proxies: own.map(([key]) => key), policies: objectFiles(policies, files, 'policy') },
      ...(topology.length === 0 ? {} : { topology }),
    };
  });
}

/** Objects as files of their own, each on the line where it stood in `files`. */
function objectFiles(
  objects: readonly MeshObject<string>[],
  files: readonly SourceFile[],
  what: 'policy' | 'object',
): readonly SourceFile[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const cuts = new CutFiles();
  return objects.map(({ document: { file: path, value, start } }, i) => {
    const file = byPath.get(path);
    const line = file === undefined ? 1 : cuts.lineAt(file, start.start);
    // An item of a list is no text of its own, and two of one file are not to be one text.
    return {
      path: `${nameOfFile(path)} (${what} ${i + 1} in force)`,
      text: '\n'.repeat(line - 1) + JSON.stringify(value),
    };
  });
}
