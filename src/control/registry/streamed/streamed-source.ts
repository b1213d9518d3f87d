import type { SourceFile } from '../../../source/document.ts';
import type { ConfigurationResponse } from '../../../xds/configuration-response.ts';
import type { RegistryFigures } from '../registry.ts';
import type { ServiceSource } from '../service-source.ts';
import { ConfigurationStream } from './configuration-stream.ts';
import type { StreamAddress } from './stream-address.ts';
import { StreamedObjects } from './streamed-objects.ts';
import { streamedTypes } from './streamed-types.ts';

export interface StreamedSourceOptions {
  readonly address: StreamAddress;
  /** What was in force before this `meshd` ran. */
  readonly known: readonly SourceFile[];
  readonly onProblem: (text: string) => void;
  /** Objects of the Gateway API are not read: policies that name them are invalid. */
  readonly skipsGatewayApi?: boolean | undefined;
}

/** Kinds whose change is nothing but one of endpoints. */
const ofEndpoints: ReadonlySet<string> = new Set(['WorkloadEntry']);

/**
 * The objects of another server, over aggregated discovery. What it sent last stays while it cannot be reached. There are
 * policies among them, so that nothing is compiled before they are known.
 */
export class StreamedSource implements ServiceSource {
  readonly hasPolicies = true;
  readonly #options: StreamedSourceOptions;
  readonly #objects: ReadonlyMap<string, StreamedObjects>;
  readonly #before: readonly SourceFile[];
  readonly #stream: ConfigurationStream;
  readonly #refused = new Map<string, string>();
  #onChange: Parameters<ServiceSource['start']>[0] = () => undefined;
  #problem: string | undefined = 'it has not answered yet';
  #heardAt: number | undefined;

  constructor(options: StreamedSourceOptions) {
    const { address, known, skipsGatewayApi } = options;
    const folder = `xds://${address.address}/`;
    this.#options = options;
    this.#before = known.filter(({ path }) => path.startsWith(folder));
    this.#objects = new Map(
      streamedTypes.map((type) => [type.typeUrl, new StreamedObjects(type, folder, { skipsGatewayApi })]),
    );
    this.#stream = new ConfigurationStream({
      address,
      begin: () =>
        [...this.#objects].map(([typeUrl, objects]) => ({
          typeUrl,
          ...(address.isIncremental && objects.isKnown && { versions: objects.versions }),
        })),
      take: (response) => this.#take(response),
      onState: (problem) => this.#state(problem),
    });
  }

  get hasSynced(): boolean {
    return [...this.#objects.values()].every(({ isKnown }) => isKnown);
  }

  /** Until all types are known, what was in force before. */
  get files(): readonly SourceFile[] {
    return this.hasSynced ? [...this.#objects.values()].flatMap(({ files }) => files) : this.#before;
  }

  get figures(): readonly RegistryFigures[] {
    const objects = [...this.#objects.values()].reduce((sum, { size }) => sum + size, 0);
    const refusals = [...this.#refused.values()];
    const problem = this.#problem ?? (refusals.length > 0 ? `refused: ${refusals.join('; ')}` : undefined);
    const { address } = this.#options.address;
    return [
      { kind: 'xDS', group: address, objects, held: 0, hasSynced: this.hasSynced, heardAt: this.#heardAt, problem },
    ];
  }

  async start(onChange: Parameters<ServiceSource['start']>[0]): Promise<void> {
    this.#onChange = onChange;
    void this.#stream.run();
  }

  close(): void {
    this.#stream.close();
  }

  #state(problem: string | undefined): void {
    if (problem === undefined) this.#heardAt = Date.now();
    const isNews = (problem === undefined) !== (this.#problem === undefined) || this.#heardAt === undefined;
    this.#problem = problem;
    if (!isNews) return;
    const what = `the configuration of xds://${this.#options.address.address}`;
    this.#options.onProblem(problem === undefined ? `${what} is followed` : `${what} is not followed now: ${problem}`);
  }

  #take(response: ConfigurationResponse): string | undefined {
    const { typeUrl } = response;
    const objects = this.#objects.get(typeUrl);
    if (objects === undefined) return `the type "${typeUrl}" was not asked for`;
    const [before, wasSynced] = [this.files, this.hasSynced];
    const problem = this.#judge(objects, response);
    if (problem === undefined) this.#refused.delete(typeUrl);
    else {
      if (this.#refused.get(typeUrl) !== problem)
        this.#options.onProblem(
          `xds://${this.#options.address.address} is told that ${typeUrl} is refused: ${problem}`,
        );
      this.#refused.set(typeUrl, problem);
    }
    const [now, known] = [this.files, new Set(before)];
    const isOther = now.length !== before.length || now.some((file) => !known.has(file));
    const isEndpoints = wasSynced && ofEndpoints.has(typeUrl.slice(typeUrl.lastIndexOf('/') + 1));
    if (isOther || this.hasSynced !== wasSynced) this.#onChange({ isEndpoints });
    return problem;
  }

  #judge(objects: StreamedObjects, response: ConfigurationResponse): string | undefined {
    try {
      return objects.take(response, this.#options.address.isIncremental);
    } catch (error) {
      return (error as Error).message;
    }
  }
}
