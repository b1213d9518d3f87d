// The program of the thread that reads and compiles for the whole mesh.

import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { Asked, AskedKeySets } from '../../live/aside/asked.ts';
import { errorOf } from '../../live/aside/messages.ts';
import { watchPaths } from '../../watch/watch.ts';
import { nameOf, openRegistry } from '../registry/open-registry.ts';
import type { Registry } from '../registry/registry.ts';
import { MeshLinter } from '../status/mesh-linter.ts';
import { ObjectReporter } from '../status/object-reporter.ts';
import type { FromCompiler, ThreadData, ToCompiler } from './compile-messages.ts';
import { CompiledMesh } from './compiled-mesh.ts';
import { StateFile } from './state-file.ts';
import { StateKeeper } from './state-keeper.ts';

/** Events of one write are told as one. */
const watching = { debounceMs: 10, debounceMaxMs: 100 };

const figuresMs = 1_000;
const positionMs = 200;

if (parentPort === null) throw new Error('this program is a thread of meshd, and does nothing by itself');
void serve(parentPort, workerData as ThreadData);

async function serve(port: MessagePort, { data, good, readsState }: ThreadData): Promise<void> {
  const tell = (message: FromCompiler): void => port.postMessage(message);
  const { source, settings, stateFolder } = data;
  const file = stateFolder === undefined ? undefined : new StateFile({ folder: stateFolder, source: nameOf(source) });
  const keeper = file && new StateKeeper(file, ({ message }) => tellOf(tell, file, 'cannot be written', message));
  const kept = good === undefined && readsState ? await file?.read() : undefined;
  if (file !== undefined && kept !== undefined && 'problem' in kept) tellOf(tell, file, 'is not used', kept.problem);
  const before = good ?? (kept !== undefined && 'state' in kept ? kept.state : undefined);
  const onProblem = (text: string): void => tell({ type: 'told', level: 'warn', text });
  const skipsGatewayApi = data.readsGatewayApi !== true;
  const known = { folders: good?.folders, files: before?.files };
  const registry = await openRegistry(source, known, { onProblem, skipsGatewayApi });
  const asked = new Asked(port);
  const reporter =
    registry.facts &&
    new ObjectReporter(registry.facts, (changed, removed) => tell({ type: 'reports', changed, removed }));
  const linter = reporter && meshLinter(data, reporter, onProblem);
  const mesh = new CompiledMesh(data, good, {
    tell: (message) => {
      // What is known of the registry is told no later than what became of it.
      if (message.type === 'snapshot' || message.type === 'refused') tellFigures(registry, tell);
      tell(message);
    },
    registry,
    keeper,
    reporter,
    linter,
    keySets: new AskedKeySets(asked),
  });
  port.on('message', (message: ToCompiler) => {
    if (message.type === 'close') void (keeper?.flush() ?? Promise.resolve()).then(() => tell({ type: 'closed' }));
    else if (message.type === 'lint') linter?.want(message.isWanted);
    else if (message.type === 'keys') mesh.renewKeys();
    else if (message.type === 'why') tell({ ...message, answer: mesh.why(message.proxy, message.name) });
    else if (message.type === 'forget')
      tell({ type: 'forgotten', id: message.id, objects: registry.forget(message.kind) });
    else if (message.type === 'answer') asked.answer(message.answer);
    else asked.fail(errorOf(message.error));
  });
  await mesh.restore(before);
  const look = (quietSinceMs?: number): void => void mesh.look(quietSinceMs);
  if (settings.meshConfig !== undefined)
    await watchPaths([settings.meshConfig.path], { ...watching, onChange: (it) => look(it.quietSinceMs) });
  await registry.follow(look);
  tellFigures(registry, tell);
  setInterval(() => tellFigures(registry, tell), figuresMs);
  tellPositions(mesh, tell);
  await mesh.look();
}

function tellOf(tell: (message: FromCompiler) => void, { path }: StateFile, what: string, reason: string): void {
  tell({
    type: 'told',
    level: 'warn',
    text: `what is in force is kept in "${path}", which ${what}: ${reason}; without it a meshd that is started again knows no last valid versions`,
  });
}

/** Undefined: nobody ever wants to know what lint finds. */
function meshLinter(
  { source, settings }: ThreadData['data'],
  reporter: ObjectReporter,
  onProblem: (text: string) => void,
): MeshLinter | undefined {
  if (source.type !== 'cluster' || source.status?.analysis !== true) return undefined;
  return new MeshLinter({
    settings,
    found: (findings, files) => reporter.linted(findings, files),
    failed: (reason) => onProblem(`the mesh cannot be linted; it is tried again with the next change: ${reason}`),
  });
}

/** Tells how far the objects are known. */
function tellFigures({ figures, revision }: Registry, tell: (message: FromCompiler) => void): void {
  if (figures.length > 0 || revision !== undefined) tell({ type: 'registry', figures, revision });
}

/** Tells that more is read, also where that changes nothing that is served. */
function tellPositions(mesh: CompiledMesh, tell: (message: FromCompiler) => void): void {
  let told = '';
  setInterval(() => {
    const { position } = mesh;
    const text = position?.read.join() ?? '';
    if (position === undefined || text === told) return;
    told = text;
    tell({ type: 'position', position });
  }, positionMs);
}
