import { type PartsOf, readFormat } from './read-format.ts';

/** Counts up when a reader of the form before would misread the file. */
export const originsFormat = 1;

/**
 * `origins.json`, beside one proxy's configuration: by name of a resource, the fragments that objects decided. Resources
 * that built-in defaults alone decided are not listed.
 */
export interface OriginsFile {
  readonly format: typeof originsFormat;
  readonly listeners: OriginsByName;
  readonly routes: OriginsByName;
  readonly clusters: OriginsByName;
}

/** Name of a resource to its fragments, in the order of its text. */
export type OriginsByName = Readonly<Record<string, readonly FragmentFields[]>>;

/** Who decided one fragment of a resource. */
export interface FragmentFields {
  /** JSON path inside the resource; empty for the whole resource. */
  readonly path: string;
  readonly decidedBy: readonly DecidingField[];
  /** Fields that said something else and lost. */
  readonly overrode: readonly DecidingField[];
}

/** One field of one object that had a say, and where it stands. */
export interface DecidingField {
  readonly kind: string;
  /** Empty for kinds without one. */
  readonly namespace: string;
  readonly name: string;
  /** Path inside the object. */
  readonly field: string;
  readonly file: string;
  /** Both count from 1; absent where the file is not known. */
  readonly line?: number;
  readonly column?: number;
}

/** Origins of a configuration whose makers nobody wrote down. */
export const noOrigins: OriginsFile = { format: originsFormat, listeners: {}, routes: {}, clusters: {} };

const parts: PartsOf<OriginsFile> = { listeners: 'map of lists', routes: 'map of lists', clusters: 'map of lists' };

/** Reads the text of `origins.json`; throws when it is not JSON, has another format, or lacks a part. */
export function readOriginsFile(text: string): OriginsFile {
  return readFormat<OriginsFile>('origins.json', originsFormat, parts, text);
}
