import type { RemoteKeySets } from '../../live/key-sets/gather.ts';
import type { Registry } from '../registry/registry.ts';
import type { MeshLinter } from '../status/mesh-linter.ts';
import type { ObjectReporter } from '../status/object-reporter.ts';
import type { FromCompiler } from './compile-messages.ts';
import type { StateKeeper } from './state-keeper.ts';

/** Listener of compilations, and source of the keys of token issuers. */
export interface MeshParts {
  readonly registry: Registry;
  readonly tell: (message: FromCompiler) => void;
  /** Keeps what is in force; undefined: nobody does. */
  readonly keeper: StateKeeper | undefined;
  readonly keySets: RemoteKeySets;
  /** Hears what becomes of each object; undefined: nobody wants to know. */
  readonly reporter?: ObjectReporter | undefined;
  readonly linter?: MeshLinter | undefined;
}
