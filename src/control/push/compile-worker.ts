// The program of the thread that reads and compiles for the whole mesh.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { type Compiler, createCompiler } from '../../compiler/compile.ts';
import { readSettings } from '../../config/read.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { format } from '../../diagnostics/format.ts';
import type { SourceFile } from '../../source/document.ts';
import { watchPaths } from '../../watch/watch.ts';
import { type Batch, FilesRegistry } from '../registry/files.ts';
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
  const mesh = new CompiledMesh(data, createCompiler({ settings, delivery: 'ads' }), tell);
  await watchPaths([data.folder], { debounceMs: settleMs, debounceMaxMs: 100, onChange: () => void mesh.look() });
  await mesh.look();
}

class CompiledMesh {
  readonly #compiler: Compiler;
  readonly #registry: FilesRegistry;
  readonly #debounce: Debounce;
  readonly #gathersEndpoints: boolean;
  readonly #tell: (message: FromCompiler) => void;
  readonly #sender = new SnapshotSender();
  #pending: Batch[] = [];
  #looking = Promise.resolve();
  #files: readonly SourceFile[] = [];
  #isFirst = true;

  constructor(data: CompileData, compiler: Compiler, tell: (message: FromCompiler) => void) {
    this.#compiler = compiler;
    this.#registry = new FilesRegistry(data.folder, compiler.read);
    this.#gathersEndpoints = data.gathersEndpoints;
    this.#tell = tell;
    this.#debounce = new Debounce(data.debounce, async () => this.#compile());
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
      this.#files = batch.files;
      if (bag.hasErrors) {
        this.#refuse(bag);
        return;
      }
      this.#pending.push(batch);
      const isAtOnce = this.#isFirst || (batch.isEndpoints && !this.#gathersEndpoints);
      this.#isFirst = false;
      this.#debounce.add({ isUrgent: batch.isUrgent, isAtOnce });
    } catch (error) {
      // The folder cannot be read now: nothing is deleted by that.
      this.#tell({ type: 'refused', text: (error as Error).message });
    }
  }

  #compile(): void {
    const began = performance.now();
    const batches = this.#pending;
    this.#pending = [];
    const bag = new DiagnosticBag();
    const changes = batches.flatMap((batch) => batch.changes);
    const compilation = this.#compiler.update(changes, 'all', bag);
    if (compilation === undefined || bag.hasErrors) {
      this.#refuse(bag);
      return;
    }
    const isUrgent = batches.some((batch) => batch.isUrgent);
    const snapshot = this.#sender.send(compilation, isUrgent);
    this.#tell({ type: 'snapshot', snapshot, ms: performance.now() - began });
  }

  #refuse(bag: DiagnosticBag): void {
    const errors = bag.all.filter(({ severity }) => severity === 'error');
    this.#tell({ type: 'refused', text: format(errors, this.#files, 'text').trimEnd() });
  }
}
