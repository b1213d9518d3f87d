// The program of the thread that reads and compiles beside the agent's own.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { MeshFigures } from '../../compiler/mesh-figures.ts';
import type { CompiledFiles, CompileResult } from '../../contracts/compile-result.ts';
import { createCompileProxy } from '../compile-proxy.ts';
import { goodTeller } from '../good-change.ts';
import { Asked, AskedKeySets } from './asked.ts';
import { errorOf, type FromThread, type PlainResult, plainError, type ThreadData, type ToThread } from './messages.ts';
import { FileSender } from './plain-files.ts';

if (parentPort === null) throw new Error('this program is a thread of pilot-agent, and does nothing by itself');
serve(parentPort, workerData as ThreadData);

function serve(port: MessagePort, { inputs, good }: ThreadData): void {
  const asked = new Asked(port);
  const tellGood = goodTeller(good, (change) => post(port, { type: 'good', change }));
  let figures: MeshFigures | undefined;
  const { compile, renew } = createCompileProxy({
    ...inputs,
    good,
    keySets: new AskedKeySets(asked),
    judgeKeys: (keys) => asked.judge(keys),
    ownAddresses: () => asked.addresses(),
    onFigures: (counted) => {
      figures = counted;
    },
    onAccept: tellGood,
    onRead: (read) => post(port, { type: 'read', read }),
  });
  const sender = new FileSender();
  /** Compilations whose parts may still be asked for: the one that applies, and the last one. */
  const kept = new Map<number, CompiledFiles>();
  let inForce = 0;
  let last = 0;
  const answer = async (compiling: Promise<CompileResult | undefined>): Promise<void> => {
    try {
      const result = await compiling;
      last++;
      for (const number of kept.keys()) if (number !== inForce) kept.delete(number);
      if (result !== undefined && 'files' in result) kept.set(last, result);
      post(port, { type: 'result', number: last, result: result && plainResult(result, sender, figures) });
    } catch (error) {
      post(port, { type: 'failed', error: plainError(error) });
    }
  };
  port.on('message', (message: ToThread) => {
    if (message.type === 'compile') void answer(compile());
    else if (message.type === 'renew') void answer(renew());
    else if (message.type === 'answer') asked.answer(message.answer);
    else if (message.type === 'failedAnswer') asked.fail(errorOf(message.error));
    else if (message.type === 'accept') {
      inForce = message.number;
      kept.get(inForce)?.accept?.();
      for (const number of kept.keys()) if (number < inForce) kept.delete(number);
    } else void tellText(port, message, kept.get(message.number));
  });
}

function post(port: MessagePort, message: FromThread): void {
  port.postMessage(message);
}

async function tellText(port: MessagePort, { id, name }: { id: number; name: string }, of: CompiledFiles | undefined) {
  post(port, { type: 'text', id, text: await of?.files.beside.get(name) });
}

function plainResult(result: CompileResult, sender: FileSender, figures: MeshFigures | undefined): PlainResult {
  if (!('files' in result)) return result;
  const { accept: _accept, files, ...rest } = result;
  return { ...rest, files: sender.send(files), figures };
}
