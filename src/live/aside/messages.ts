import type { MeshFigures } from '../../compiler/mesh-figures.ts';
import type { CompiledFiles, CompileResult } from '../../contracts/compile-result.ts';
import type { ProxyFiles } from '../../contracts/proxy-files.ts';
import type { EnvoyResource } from '../../envoy/api/resource-file.ts';
import { isWorldFailure, WorldFailure } from '../../lib/failure.ts';
import type { JwtRule } from '../../policy/request-authentication.ts';
import type { GoodChange } from '../good-change.ts';
import type { RemoteKeySets } from '../key-sets/gather.ts';
import type { ReadFiles } from '../largest-files.ts';
import type { GoodState, ProxyInputs } from '../proxy-inputs.ts';

/** What the thread is started with: all inputs but the functions, which are asked for by message. */
export type PlainInputs = Omit<
  ProxyInputs,
  'ownAddresses' | 'keySets' | 'judgeKeys' | 'onFigures' | 'onAccept' | 'onRead' | 'maxCharacters'
>;

/** A file by its text, which is copied fast; objects are not. */
export interface PlainFile {
  readonly version: string;
  readonly text: string;
  /** The resources, and where in `text` each has its own. */
  readonly resources: readonly PlainResource[];
}

/** A file that the result before had too: in a big mesh the clusters are megabytes, and few changes concern them. */
export interface KnownFile {
  readonly knownVersion: string;
}

export interface PlainResource extends Pick<EnvoyResource, 'name' | 'version'> {
  readonly start: number;
  readonly end: number;
}

/** The files without what is put together on demand: only the names of that. */
export interface PlainFiles extends Omit<ProxyFiles, 'clusters' | 'listeners' | 'routes' | 'beside'> {
  readonly clusters: PlainFile | KnownFile;
  readonly listeners: PlainFile | KnownFile;
  readonly routes: ReadonlyMap<string, PlainFile | KnownFile>;
  readonly beside: readonly string[];
}

/** A compilation's result in a form that may be copied. */
export type PlainResult =
  | Exclude<CompileResult, CompiledFiles>
  | (Omit<CompiledFiles, 'files' | 'accept'> & {
      readonly files: PlainFiles;
      readonly figures: MeshFigures | undefined;
    });

/** An error in a form that may be copied: the system's and our own tell by these fields what they are. */
export interface PlainError {
  readonly message: string;
  readonly stack: string | undefined;
  readonly fields: Readonly<Record<string, unknown>>;
  /** It is a `WorldFailure`. */
  readonly isOfTheWorld: boolean;
  readonly cause: PlainError | undefined;
}

/** What the thread asks for; the answer comes as a message. */
export type Question =
  | { readonly name: 'addresses' }
  | { readonly name: 'keys'; readonly rules: readonly KeyRule[] }
  | { readonly name: 'judge'; readonly keys: string };

/** What a question got; it has the name of the question. */
export type Answer =
  | { readonly name: 'addresses'; readonly addresses: readonly string[] }
  | { readonly name: 'keys'; readonly keys: readonly KeyAnswer[] }
  | { readonly name: 'judge'; readonly refusal: string | undefined };

/** Where the keys of a rule are. */
export type KeyRule = Pick<JwtRule, 'issuer' | 'jwksUri' | 'timeout'>;

/** The answer for one rule of the question `keys`. */
export type KeyAnswer = ReturnType<RemoteKeySets['find']>;

/** From the thread. `number` counts compilations. */
export type FromThread =
  /** Undefined: there was nothing to renew. */
  | { readonly type: 'result'; readonly number: number; readonly result: PlainResult | undefined }
  | { readonly type: 'failed'; readonly error: PlainError }
  | { readonly type: 'question'; readonly question: Question }
  | { readonly type: 'read'; readonly read: ReadFiles }
  | { readonly type: 'good'; readonly change: GoodChange<GoodState> }
  | { readonly type: 'text'; readonly id: number; readonly text: string | undefined };

/** To the thread. */
export type ToThread =
  | { readonly type: 'compile' }
  | { readonly type: 'renew' }
  | { readonly type: 'accept'; readonly number: number }
  | { readonly type: 'answer'; readonly answer: Answer }
  | { readonly type: 'failedAnswer'; readonly error: PlainError }
  | { readonly type: 'text'; readonly id: number; readonly number: number; readonly name: string };

/** What the thread is made with. */
export interface ThreadData {
  readonly inputs: PlainInputs;
  readonly good: GoodState | undefined;
}

/** The error as it may be copied. */
export function plainError(thrown: unknown): PlainError {
  if (!(thrown instanceof Error)) {
    return { message: String(thrown), stack: undefined, fields: {}, isOfTheWorld: false, cause: undefined };
  }
  const { message, stack, cause } = thrown;
  const { code, syscall, path, errno } = thrown as NodeJS.ErrnoException;
  const fields = Object.fromEntries(
    Object.entries({ code, syscall, path, errno }).filter(([, value]) => value !== undefined),
  );
  const isOfTheWorld = isWorldFailure(thrown);
  return { message, stack, fields, isOfTheWorld, cause: cause instanceof Error ? plainError(cause) : undefined };
}

/** The error again; its class is lost, but not its code and whether the world failed. */
export function errorOf({ message, stack, fields, isOfTheWorld, cause }: PlainError): Error {
  const options = cause === undefined ? {} : { cause: errorOf(cause) };
  const error = isOfTheWorld ? new WorldFailure(String(fields.code), message, options) : new Error(message, options);
  if (stack !== undefined) error.stack = stack;
  return Object.assign(error, fields);
}
