// The program of the thread that reads and compiles for the whole mesh.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { createCompiler } from '../../compiler/compile.ts';
import { readSettings } from '../../config/read.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { format } from '../../diagnostics/format.ts';
import { Fleet } from '../../live/fleet.ts';
import { createKeySetGatherer } from '../../live/key-sets/gather.ts';
import type { SourceFile } from '../../source/document.ts';
import { watchPaths } from '../../watch/watch.ts';
import { contentVersion } from '../../xds/resource.ts';
import { FilesRegistry } from '../registry/files.ts';
import type { CompileData, FromCompiler } from './compile-messages.ts';
import { Debounce } from './debounce.ts';
import { SnapshotSender } from './snapshot-sender.ts';

/** Events of one write are told as one. */
const settleMs = 10;

if (parentPort === null) throw new Error('this program is a thread of meshd, and does nothing by itself');
void serve(parentPort, workerData as CompileData);

async function serve(port: MessagePort, data: CompileData): Promise<void> {
  const tell = (message: FromCompiler): void => port.postMessage(message);
  const bag = new DiagnosticBag();
  const { settings, sources } = await readSettings(data.settings, bag);
  if (bag.hasErrors) {
    tell({ type: 'refused', text: format(bag.all, sources, 'text') });
    return;
  }
  const fleet = new Fleet({
    settings,
    createCompiler: () => createCompiler({ settings, delivery: 'ads' }),
    gatherer: createKeySetGatherer(),
  });
  const mesh = new CompiledMesh(data, fleet, tell);
  await watchPaths([data.folder], { debounceMs: settleMs, debounceMaxMs: 100, onChange: () => void mesh.look() });
  await mesh.look();
}

class CompiledMesh {
  readonly #fleet: Fleet;
  readonly #registry: FilesRegistry;
  readonly #debounce: Debounce;
  readonly #gathersEndpoints: boolean;
  readonly #tell: (message: FromCompiler) => void;
  readonly #sender = new SnapshotSender();
  #looking = Promise.resolve();
  /** The last look that is not compiled yet, and whether one since the last compilation is urgent. */
  #pending:
    | { readonly files: readonly SourceFile[]; readonly bag: DiagnosticBag; readonly isUrgent: boolean }
    | undefined;
  #isFirst = true;

  constructor(data: CompileData, fleet: Fleet, tell: (message: FromCompiler) => void) {
    this.#fleet = fleet;
    this.#registry = new FilesRegistry(data.folder);
    this.#gathersEndpoints = data.gathersEndpoints;
    this.#tell = tell;
    this.#debounce = new Debounce(data.debounce, () => this.#compile());
  }

  /** Looks at the files; one look at a time. */
  look(): Promise<void> {
    this.#looking = this.#looking.then(() => this.#look());
    return this.#looking;
  }

  async #look(): Promise<void> {
    const bag = new DiagnosticBag();
    try {
      const batch = await this.#registry.look(bag);
      if (batch === undefined) return;
      const { files, isUrgent, isEndpoints } = batch;
      this.#pending = { files, bag, isUrgent: isUrgent || this.#pending?.isUrgent === true };
      const isAtOnce = this.#isFirst || (isEndpoints && !this.#gathersEndpoints);
      this.#isFirst = false;
      this.#debounce.add({ isUrgent, isAtOnce });
    } catch (error) {
      // The folder cannot be read now: nothing is deleted by that.
      this.#tell({ type: 'refused', text: (error as Error).message });
    }
  }

  async #compile(): Promise<void> {
    if (this.#pending === undefined) return;
    const { files, bag, isUrgent } = this.#pending;
    this.#pending = undefined;
    const began = performance.now();
    const version = contentVersion(...files.flatMap(({ path, text }) => [path, text]));
    const { outcomes, workloads, diagnostics } = await this.#fleet.take(files, version, bag);
    const errors = diagnostics.filter(({ severity }) => severity === 'error');
    if (errors.length > 0) this.#tell({ type: 'refused', text: format(errors, files, 'text').trimEnd() });
    if (errors.length > 0 && outcomes.size === 0) return;
    const configs = [...outcomes.values()].map((outcome) => ('config' in outcome ? outcome.config : outcome.frozen));
    const whose = configs.map(({ namespace, workload }) => workloads.get(`${namespace}/${workload}`) ?? nobody);
    const snapshot = this.#sender.send({ configs, workloads: whose }, isUrgent);
    this.#tell({ type: 'snapshot', snapshot, ms: performance.now() - began });
  }
}

/** A workload of which the mesh in force says nothing. */
const nobody = { addresses: [] };
