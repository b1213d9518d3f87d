import type { ConsulAddress } from '../../../consul/consul-address.ts';
import { ConsulApi } from '../../../consul/consul-api.ts';
import { ConsulCatalog } from '../../../consul/consul-catalog.ts';
import type { ConsulInstance } from '../../../consul/consul-instance.ts';
import { sortedBy } from '../../../lib/sort.ts';
import { holdsFormat } from '../../../schema/formats.ts';
import type { SourceFile } from '../../../source/document.ts';
import type { RegistryFigures } from '../registry.ts';
import type { ServiceSource } from '../service-source.ts';
import { type CatalogObjects, catalogObjects, isMachinesFile } from './catalog-objects.ts';

export interface CatalogSourceOptions {
  readonly addresses: readonly ConsulAddress[];
  /** What was in force before this `meshd` ran. */
  readonly known: readonly SourceFile[];
  readonly onProblem: (text: string) => void;
}

/** The services of one datacenter. Only an answer of its own server removes them. */
interface Shard {
  readonly id: string;
  readonly catalog: ConsulCatalog;
}

interface Kept extends CatalogObjects {
  /** The lists of instances that it was made of; a shard whose list is the same object has not changed. */
  readonly of: readonly (readonly ConsulInstance[])[];
}

/** Events of one moment are told as one. */
const settleMs = 20;
const folder = 'consul/';

/**
 * The services of one or more datacenters of Consul, as objects; a service that several have is one with all instances.
 */
export class CatalogSource implements ServiceSource {
  readonly #options: CatalogSourceOptions;
  readonly #shards: readonly Shard[];
  #kept: ReadonlyMap<string, Kept> = new Map();
  #files: readonly SourceFile[];
  #onChange: Parameters<ServiceSource['start']>[0] = () => undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #told = new Set<string>();

  constructor(options: CatalogSourceOptions) {
    this.#options = options;
    this.#files = options.known.filter(({ path }) => path.startsWith(folder));
    this.#shards = options.addresses.map((address) => ({
      id: address.id,
      catalog: new ConsulCatalog({
        api: new ConsulApi(address),
        onChange: () => this.#changed(),
        onState: ({ problem }) => {
          const what = `the catalog "${address.id}" of Consul`;
          options.onProblem(
            problem === undefined ? `${what} is followed again` : `${what} is not followed now: ${problem}`,
          );
        },
      }),
    }));
  }

  get files(): readonly SourceFile[] {
    return this.#files;
  }

  get hasSynced(): boolean {
    return this.#shards.every(({ catalog }) => catalog.state.hasSynced);
  }

  get figures(): readonly RegistryFigures[] {
    return this.#shards.map(({ id, catalog: { services, state } }) => ({
      ...{ kind: 'Consul', group: id, objects: services.size, held: 0 },
      ...state,
    }));
  }

  async start(onChange: Parameters<ServiceSource['start']>[0]): Promise<void> {
    this.#onChange = onChange;
    for (const { catalog } of this.#shards) catalog.start();
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const { catalog } of this.#shards) catalog.close();
  }

  #changed(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#take();
    }, settleMs);
  }

  #take(): void {
    const before = this.#files;
    const kept = this.#objects();
    this.#kept = kept;
    const known = new Map(before.map((file) => [file.path, file]));
    const made = sortedBy(
      [...kept.values()].flatMap(({ files }) => files),
      ({ path }) => path,
    );
    // A shard that was never heard of keeps what it had before this process.
    const unheard = this.hasSynced ? [] : before.filter(({ path }) => !made.some((file) => file.path === path));
    const files = [...made, ...unheard].map((file) =>
      known.get(file.path)?.text === file.text ? (known.get(file.path) ?? file) : file,
    );
    this.#files = files;
    this.#tellProblems([...kept.values()].flatMap(({ problems }) => problems));
    const isSame = new Set(before);
    const changed = [
      ...files.filter((file) => !isSame.has(file)),
      ...before.filter(({ path }) => !files.some((it) => it.path === path)),
    ];
    this.#onChange({ isEndpoints: changed.length > 0 && changed.every(isMachinesFile) });
  }

  /** A service is made again when one of its lists is another. */
  #objects(): ReadonlyMap<string, Kept> {
    const lists = new Map<string, (readonly ConsulInstance[])[]>();
    const spelled = new Map<string, string>();
    const refused: string[] = [];
    for (const { catalog } of this.#shards) {
      for (const [written, instances] of catalog.services) {
        const name = written.toLowerCase();
        const first = spelled.get(name) ?? written;
        spelled.set(name, first);
        if (!holdsFormat('dns-label', name)) refused.push(`the service "${written}" is left out: it is no name in DNS`);
        else if (first !== written)
          refused.push(`the service "${written}" is left out: it differs from "${first}" in case alone`);
        else lists.set(name, [...(lists.get(name) ?? []), instances]);
      }
    }
    this.#tellProblems(refused);
    return new Map(
      [...lists].map(([name, of]) => {
        const before = this.#kept.get(name);
        const isSame = before?.of.length === of.length && before.of.every((list, i) => list === of[i]);
        return [name, isSame ? before : { of, ...catalogObjects({ name, instances: of.flat() }) }];
      }),
    );
  }

  /** Reports each problem once in the life of the process. */
  #tellProblems(problems: readonly string[]): void {
    for (const problem of problems) {
      if (this.#told.has(problem) || this.#told.size > 10_000) continue;
      this.#told.add(problem);
      this.#options.onProblem(`Consul: ${problem}`);
    }
  }
}
