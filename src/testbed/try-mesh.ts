import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { loadAll } from 'js-yaml';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { readSources } from '../source/read.ts';
import type { PlanObject } from './floor-plan.ts';
import { applicationPlace } from './own-programs.ts';
import type { Sidecar } from './sidecar.ts';
import { createTestbed, type Testbed } from './testbed.ts';
import { readTryArguments, type TryArguments, usage } from './try-arguments.ts';

const meshpol = 'dist/meshpol.js';

/**
 * `scripts/mesh.mjs`: runs the mesh of a folder on this machine, a command in some of its pods, and ends it again. The
 * testbed cannot outlive this process, so Ctrl-C needs no handler.
 */
const given = readTryArguments(process.argv.slice(2));
if (typeof given === 'string') {
  process.stderr.write(`mesh.mjs: ${given}\n${usage}`);
  process.exitCode = 2;
} else {
  process.exitCode = await tryMesh(given).catch((error: Error) => {
    process.stderr.write(
      `mesh.mjs: ${error.message}${error.cause instanceof Error ? `: ${error.cause.message}` : ''}\n`,
    );
    return 3;
  });
}

async function tryMesh({ folder, from, log, command }: TryArguments): Promise<number> {
  if (!(await compiles(folder))) return 1;
  const topology = await filesOf(folder);
  const commands = commandsOf(topology);
  const testbed = await createTestbed({
    topology,
    programs: { folder, commands },
    meshConfig: { accessLogFile: '/dev/stdout' },
    onProgress: (step) => process.stderr.write(`${step}\n`),
  });
  try {
    requirePods(testbed, [...from, ...log]);
    let exitCode = 0;
    for (const pod of from) exitCode = await runFrom(testbed, pod, command);
    for (const pod of log) await showLog(pod, testbed.sidecar(pod));
    return exitCode;
  } finally {
    await testbed.close();
  }
}

/** Whether `meshpol compile` takes the folder; prints its messages. Nothing that it writes stays. */
async function compiles(folder: string): Promise<boolean> {
  if (!existsSync(meshpol)) throw new Error(`${meshpol} does not exist: run "make build" first`);
  const output = await mkdtemp(join(tmpdir(), 'mesh-compiled-'));
  try {
    const compile = [meshpol, 'compile', folder, '-o', output];
    const { status, stderr } = spawnSync(process.execPath, compile, { encoding: 'utf8' });
    const messages = stderr.split('\n').filter((line) => !line.startsWith(`${output}: `));
    process.stderr.write(messages.join('\n'));
    return status === 0;
  } finally {
    await rm(output, { recursive: true });
  }
}

/** The inputs of a folder, as `meshpol compile` finds them: path below it, and text. */
async function filesOf(folder: string): Promise<Record<string, string>> {
  const sources = await readSources([folder], new DiagnosticBag());
  return Object.fromEntries(sources.map(({ path, text }) => [relative(folder, path), text]));
}

/** `command` and `args` of the containers of each pod, by `namespace/name`. */
function commandsOf(files: Readonly<Record<string, string>>): Record<string, string[][]> {
  const objects = Object.values(files).flatMap((text) => loadAll(text) as PlanObject[]);
  const pods = objects.filter((object) => object?.kind === 'Pod');
  const entries = pods.map(({ metadata: { namespace = 'default', name }, spec }) => {
    const { containers = [] } = (spec ?? {}) as { containers?: { command?: string[]; args?: string[] }[] };
    const commands = containers.map(({ command = [], args = [] }) =>
      command.length === 0 ? [] : [...command, ...args],
    );
    return [`${namespace}/${name}`, commands.filter((argv) => argv.length > 0)] as const;
  });
  return Object.fromEntries(entries.filter(([, commands]) => commands.length > 0));
}

function requirePods({ pods }: Testbed, wanted: readonly string[]): void {
  const known = pods.map(({ namespace, name }) => `${namespace}/${name}`);
  const missing = wanted.find((pod) => !known.includes(pod));
  if (missing !== undefined) throw new Error(`no pod "${missing}" in the folder, only ${known.join(', ')}`);
}

async function runFrom({ sandbox }: Testbed, pod: string, command: readonly string[]): Promise<number> {
  const { stdout, stderr, exitCode } = await sandbox.run(command, { ...applicationPlace(pod), timeoutMs: 60_000 });
  const lines = [
    `--- ${pod}: ${command.join(' ')}`,
    stdout.trimEnd(),
    stderr.trimEnd(),
    `--- exit code ${exitCode}`,
    '',
  ];
  process.stdout.write(lines.filter((line, i) => line !== '' || i === 4).join('\n'));
  process.stdout.write('\n');
  return exitCode;
}

/** What a proxy logged of connections and requests. Envoy writes the last of it when it ends, so it is ended. */
async function showLog(pod: string, sidecar: Sidecar): Promise<void> {
  await sidecar.admin('POST', '/quitquitquit');
  await sidecar.program.exited;
  const lines = (await sidecar.output()).split('\n').filter((line) => line.startsWith('{') || line.startsWith('['));
  process.stdout.write(`--- log of the proxy of ${pod}\n${lines.join('\n')}\n`);
}
