import { createObjectReader, type ReadingOptions } from '../../../compiler/read-objects.ts';
import { DiagnosticBag } from '../../../diagnostics/bag.ts';
import type { SourceFile } from '../../../source/document.ts';
import {
  type ConfigurationObject,
  objectEnvelope,
  readConfigurationObject,
} from '../../../xds/configuration-object.ts';
import type { ConfigurationResponse } from '../../../xds/configuration-response.ts';
import type { StreamedType } from './streamed-types.ts';

/** An object as it was sent last. */
interface Held {
  readonly version: string;
  readonly file: SourceFile;
}

/** Refusals that are told in one answer. */
const mostTold = 5;

/** The objects of one type that a configuration server has. */
export class StreamedObjects {
  readonly #type: StreamedType;
  readonly #folder: string;
  readonly #reading: Pick<ReadingOptions, 'skipsGatewayApi'>;
  #held: ReadonlyMap<string, Held> = new Map();
  /** The server has said what it has of the type. */
  isKnown = false;

  /** The paths of the objects begin with the folder. */
  constructor(type: StreamedType, folder: string, reading: Pick<ReadingOptions, 'skipsGatewayApi'> = {}) {
    this.#reading = reading;
    this.#type = type;
    this.#folder = folder;
  }

  get files(): readonly SourceFile[] {
    return [...this.#held.values()].map(({ file }) => file);
  }

  get size(): number {
    return this.#held.size;
  }

  /** Of each name, for a stream that goes on. */
  get versions(): Readonly<Record<string, string>> {
    return Object.fromEntries([...this.#held].map(([name, { version }]) => [name, version]));
  }

  /**
   * Takes a response. Everything that it says is in force from then on; an invalid object too, of which the last valid
   * version stays active, so that the others are not held up. Gives what is invalid, in words; undefined: nothing is.
   * Throws, and takes nothing, where an object has no name.
   */
  take({ resources, removed }: ConfigurationResponse, isIncremental: boolean): string | undefined {
    const next = new Map(isIncremental ? this.#held : []);
    for (const name of removed) next.delete(name);
    const problems: string[] = [];
    for (const { name: sentName, version, type, body } of resources) {
      if (type !== objectEnvelope) throw new Error(`a resource is of the type "${type}", expected "${objectEnvelope}"`);
      const object = readConfigurationObject(body);
      const name = isIncremental ? sentName : object.name;
      if (name === '' || object.name === '') throw new Error('a resource has no name');
      if (name.replace(/^\//, '') !== object.name)
        throw new Error(`the resource "${name}" has an object of the name "${object.name}"`);
      if (!isIncremental && next.has(name)) throw new Error(`the resource "${name}" comes twice`);
      const made = this.#fileOf(object);
      const before = this.#held.get(name)?.file;
      const file = before?.text === made.text ? before : made;
      next.set(name, { version, file });
      const problem = object.problem ?? problemOf(file, this.#reading);
      if (problem !== undefined) problems.push(`${name}: ${problem}`);
    }
    this.#held = next;
    this.isKnown = true;
    const more = problems.length > mostTold ? [`and ${problems.length - mostTold} more`] : [];
    return problems.length === 0 ? undefined : [...problems.slice(0, mostTold), ...more].join('; ');
  }

  /** The object as a text; what cannot be read of it makes it invalid, and does not disappear. */
  #fileOf({ name, createdAt, labels, annotations, spec, problem }: ConfigurationObject): SourceFile {
    const { apiVersion, kind } = this.#type;
    const at = name.lastIndexOf('/');
    const metadata = {
      name: name.slice(at + 1),
      ...(at > 0 && { namespace: name.slice(0, at) }),
      ...(createdAt !== undefined && { creationTimestamp: createdAt }),
      ...(Object.keys(labels).length > 0 && { labels }),
      ...(Object.keys(annotations).length > 0 && { annotations }),
    };
    const object = { apiVersion, kind, metadata, spec: problem === undefined ? spec : { 'cannot be read': problem } };
    return { path: `${this.#folder}${kind}/${name}.yaml`, text: `${JSON.stringify(object, undefined, 1)}\n` };
  }
}

function problemOf(file: SourceFile, reading: Pick<ReadingOptions, 'skipsGatewayApi'>): string | undefined {
  const bag = new DiagnosticBag();
  createObjectReader(reading)([file], bag);
  return bag.all.find(({ severity }) => severity === 'error')?.message;
}
