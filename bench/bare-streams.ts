import { spawnSync } from 'node:child_process';
import { connect } from 'node:http2';
import { setTimeout as delay } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { Server, ServerCredentials, ServerInterceptingCall } from '@grpc/grpc-js';

const path = '/bench.Streams/Talk';

/**
 * Bytes of heap that a stream of this gRPC library takes by itself, with one interceptor and a handler that does nothing.
 * Measured in a process of its own: what the benchmark has just let go of would count as taken away.
 */
export function bareStreamBytes(count: number): number {
  const { stdout } = spawnSync(process.execPath, ['--expose-gc', import.meta.filename, String(count)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  });
  if (!/^-?[\d.]+$/.test(stdout.trim())) throw new Error(`the program that measures bare streams told "${stdout}"`);
  return Number(stdout);
}

async function measure(count: number): Promise<number> {
  const server = new Server({
    'grpc.enable_channelz': 0,
    interceptors: [(_method, call) => new ServerInterceptingCall(call)],
  });
  let open = 0;
  const asIs = (bytes: Buffer): Buffer => bytes;
  const form = { requestSerialize: asIs, requestDeserialize: asIs, responseSerialize: asIs, responseDeserialize: asIs };
  server.addService(
    { Talk: { path, requestStream: true, responseStream: true, ...form } },
    { Talk: () => void open++ },
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  const before = heap();
  // Clients have a heap of their own.
  const clients = new Worker(new URL(import.meta.url), { workerData: { port, count } });
  while (open < count) await delay(50);
  await delay(500);
  const bytes = (heap() - before) / count;
  await clients.terminate();
  server.forceShutdown();
  return bytes;
}

function heap(): number {
  for (let i = 0; i < 3; i++) globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

if (!isMainThread && parentPort !== null) {
  const { port, count } = workerData as { readonly port: number; readonly count: number };
  const session = connect(`http://127.0.0.1:${port}`);
  const headers = { ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' };
  for (let i = 0; i < count; i++) session.request(headers).on('error', () => undefined);
}

if (isMainThread && process.argv[1] === import.meta.filename) {
  process.stdout.write(String(await measure(Number(process.argv[2]))));
}
