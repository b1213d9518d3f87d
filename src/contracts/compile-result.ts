import type { NamedObject } from './named-object.ts';
import type { ProxyFiles } from './proxy-files.ts';

/** Objects whose current version is invalid, so that their last valid version was compiled. */
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
      /** Hosts that keys may be fetched from though their addresses are private. Absent: not known. */
      readonly jwksAllowedHosts?: readonly string[];
      /**
       * To be called when the files are in force: from now on these versions of the objects are the last valid ones.
       */
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

/** A compilation that gave files. */
export type CompiledFiles = Extract<CompileResult, { readonly files: ProxyFiles }>;

/**
 * Compiles the inputs in force once more, with the keys of token issuers as they are now. Undefined where no key of them is
 * fetched, or where nobody knows any more how they were compiled.
 */
export type RenewKeys = () => Promise<CompileResult | undefined>;

/** What compiles for one proxy. */
export interface ProxyCompiler {
  readonly compile: CompileProxy;
  readonly renew: RenewKeys;
}

/**
 * Compiles the agent's current inputs. Throws when the environment fails before the inputs are read. `replaced` is aborted
 * when newer inputs exist: a compilation that takes longer than usual may then throw `ReplacedCompilation`.
 */
export type CompileProxy = (replaced?: AbortSignal) => Promise<CompileResult>;

/**
 * Thrown by a compilation that was aborted because newer inputs exist. It does not mean that its inputs are invalid.
 */
export class ReplacedCompilation extends Error {}
