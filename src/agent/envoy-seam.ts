import { spawn } from 'node:child_process';
import { request } from 'node:http';

/** How Envoy ended. */
export interface ExitStatus {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** An Envoy that was started, in a process group of its own. */
export interface EnvoyProcess {
  readonly pid: number;
  readonly exited: Promise<ExitStatus>;
  signal(name: NodeJS.Signals): void;
}

export interface AdminResponse {
  readonly status: number;
  readonly body: string;
}

/** Envoy's admin interface. Rejects when it cannot be reached in time; an HTTP status is never thrown. */
export interface EnvoyAdmin {
  get(path: string, timeoutMs?: number): Promise<AdminResponse>;
  post(path: string, timeoutMs?: number): Promise<AdminResponse>;
}

export function spawnEnvoy(binary: string, args: readonly string[]): Promise<EnvoyProcess> {
  return new Promise((resolve, reject) => {
    const child = spawn(binary, args, { stdio: ['ignore', 'inherit', 'inherit'], detached: true });
    const exited = new Promise<ExitStatus>((exit) => child.once('exit', (code, signal) => exit({ code, signal })));
    child.once('error', reject);
    child.once('spawn', () =>
      resolve({
        pid: child.pid ?? 0,
        exited,
        signal: (name) => void child.kill(name),
      }),
    );
  });
}

export function adminClient(host: string, port: number): EnvoyAdmin {
  const send = (method: string, path: string, timeoutMs = 2000): Promise<AdminResponse> =>
    new Promise((resolve, reject) => {
      const call = request({ host, port, path, method, agent: false, timeout: timeoutMs }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }));
      });
      call.on('timeout', () => call.destroy(new Error(`no answer in ${timeoutMs} ms`)));
      call.on('error', reject);
      call.end();
    });
  return { get: (path, ms) => send('GET', path, ms), post: (path, ms) => send('POST', path, ms) };
}
