import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { denyPath, httpbinPod, namespace, objects } from '../../cli/agent/testing/sample-mesh.ts';
import { runStatus, runWhy } from '../../cli/control/debug-commands.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { parseRevision, type Revision } from '../../git/revision.ts';
import { TestRepository } from '../../git/testing/test-repository.ts';
import { eventually } from '../../testing/eventually.ts';
import { type RawStream, ServingBench, type ServingChanges, textOf } from '../testing/serving-bench.ts';
import { attributeOf, SpanReceiver } from '../testing/span-receiver.ts';
import { otlpSettingsOf } from '../trace/otlp-settings.ts';
import { GitRegistry } from './git.ts';

describe('meshd that serves the commits of a branch', () => {
  let repository: TestRepository;
  let bench: ServingBench;
  beforeEach(async () => {
    repository = new TestRepository();
    repository.commit({ 'mesh/mesh.yaml': objects(namespace, httpbinPod()), 'mesh/deny.yaml': denyPath('/first') });
    bench = await ServingBench.create();
  });
  afterEach(async () => {
    await bench.close();
    repository.close();
  });

  const start = (changes: ServingChanges = {}) => {
    const source = { type: 'git', folder: repository.folder, revision: parseRevision('main:mesh') };
    return bench.start({ compile: { source, stateFolder: bench.path('state') }, ...changes });
  };
  async function connect(): Promise<RawStream> {
    const stream = bench.open(await bench.identity('foo/httpbin'));
    stream.subscribe('listeners');
    return stream;
  }
  const shows = (stream: RawStream, text: string): Promise<void> =>
    eventually(() => expect(textOf(stream.seen.at(-1))).toContain(text));
  const compilations = (): Promise<string | undefined> => bench.metric('meshd_compilations_count');
  const ready = async () => {
    const answer = await fetch(`${bench.control.monitoring}/healthz/ready`);
    return { status: answer.status, text: await answer.text() };
  };
  async function told(run: (io: Parameters<typeof runStatus>[1]) => Promise<unknown>): Promise<string> {
    let written = '';
    const write = async (part: string): Promise<void> => {
      written += part;
    };
    await run({ write, stop: new AbortController().signal });
    return written;
  }
  const socket = () => ({ socket: [bench.debugSocket] });
  const status = () => told((io) => runStatus(socket(), io));
  const why = () => told((io) => runWhy('foo/httpbin', 'virtualInbound', socket(), io));

  test('a checkout in progress changes nothing, and a commit does', async () => {
    await start();
    const stream = await connect();
    await shows(stream, '/first');
    const before = await compilations();
    // As a checkout of another branch, an editor and a merge leave things on their way.
    repository.git('checkout', '-q', '-b', 'other');
    repository.commit({ 'mesh/deny.yaml': denyPath('/other') });
    repository.write({ 'mesh/mesh.yaml': 'kind: Na', '.git/index.lock': '' });
    rmSync(`${repository.folder}/mesh/deny.yaml`);
    repository.git('update-ref', 'refs/heads/aside', 'other');
    const id = repository.git('rev-parse', 'other');
    repository.git('update-ref', 'refs/heads/main', id);
    await shows(stream, '/other');
    // Two compilations in all: nothing of what is between the two commits was one.
    expect(Number(await compilations())).toBe(Number(before) + 1);
    expect(stream.seen.map(textOf).filter((text) => text.includes('-denied'))).toEqual([]);
    expect(bench.logged('error')).toBe('');
    expect(await status()).toContain(`revision main:mesh: commit ${id} of 2026-`);
    expect(await why()).toContain(`foo/httpbin has the configuration of the current inputs (commit ${id})`);
    expect(await why()).toMatch(/by AuthorizationPolicy\/foo\/p spec\.\S* \(main:mesh\/deny\.yaml:\d+:\d+\)/);
    expect(bench.logged('debug')).toContain(`"commit":"${id}"`);
    expect(bench.logged('info')).toMatch(new RegExp(`configuration compiled .*"commit":"${id}"`));
  });

  test('the span of a push names the commit that it is of', async () => {
    const receiver = await SpanReceiver.start();
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${receiver.port}` };
    await start({ traces: otlpSettingsOf(endpoint, 'test') });
    const id = repository.commit({ 'mesh/deny.yaml': denyPath('/second') });
    const commits = () =>
      receiver.spans.filter(({ name }) => name === 'push').map((span) => attributeOf(span, 'mesh.commit'));
    await eventually(() => expect(commits()).toContain(id));
    await receiver.close();
  });

  test('an invalid commit is reported with revision, file and line, and the valid objects stay active', async () => {
    await start();
    const stream = await connect();
    await shows(stream, '/first');
    const id = repository.commit({ 'mesh/deny.yaml': denyPath('/second').replace('DENY', 'DENI') });
    await eventually(() => expect(bench.logged('error')).toContain(`commit ${id}:\n`));
    await eventually(async () => expect(await status()).toMatch(/main:mesh\/deny\.yaml:4:\d+: error: /));
    expect(await status()).toContain(`commit ${id}:\n`);
    expect(textOf(stream.seen.at(-1))).toContain('/first');
    repository.commit({ 'mesh/deny.yaml': denyPath('/third') });
    await shows(stream, '/third');
    expect(await status()).toContain('inputs   valid');
  });

  test('the last commit of a deleted branch stays active, and log, status, metric and readiness say so', async () => {
    await start();
    const stream = await connect();
    await shows(stream, '/first');
    const id = repository.git('rev-parse', 'main');
    await eventually(async () => expect(await bench.metric('meshd_revision_readable')).toBe('1'));
    repository.git('checkout', '-q', '--detach');
    repository.git('branch', '-q', '-D', 'main');
    const reason = `has no reference "refs/heads/main"`;
    await eventually(() => expect(bench.logged('error')).toContain(`commit ${id} stays in force`));
    await eventually(async () => expect(await status()).toContain(reason));
    await eventually(async () => expect(await bench.metric('meshd_revision_readable')).toBe('0'));
    expect(await bench.metric(`meshd_revision_commit_timestamp{commit="${id}"}`)).toBe('1767323045');
    expect(await ready()).toMatchObject({ status: 200 });
    await shows(await connect(), '/first');
    // One that is started now has nothing to serve.
    await bench.control.stop();
    await start();
    await eventually(async () => expect((await ready()).text).toContain('the revision "main:mesh" cannot be read'));
    expect((await ready()).status).toBe(503);
    repository.git('branch', '-q', 'main', id);
    await eventually(async () => expect((await ready()).status).toBe(200));
    await eventually(async () => expect(await status()).toContain('inputs   valid'));
    await eventually(async () => expect(await bench.metric('meshd_revision_readable')).toBe('1'));
  });
});

test('a branch that is amended while everything else is deleted at once is read to its end', async () => {
  const repository = new TestRepository();
  const registry = new GitRegistry(repository.folder, parseRevision('main') as Revision);
  const problems: string[] = [];
  let read: string | undefined;
  let turn = Promise.resolve();
  const look = (): void => {
    turn = turn.then(async () => {
      const batch = await registry.look(new DiagnosticBag()).catch((error: Error) => void problems.push(error.message));
      read = batch?.commit ?? read;
    });
  };
  try {
    const text = (round: number) => `kind: Service # ${round}\n`;
    const files = (round: number) =>
      Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`mesh/${i % 20}/${i}.yaml`, text(round)]));
    repository.commit(files(0));
    repository.git('config', 'core.logAllRefUpdates', 'false');
    await registry.follow(look);
    look();
    // Not with the calls that wait: the registry reads while git writes.
    const rounds = 'for i in 1 2 3 4 5 6 7 8; do for f in mesh/*/*.yaml; do echo "kind: Service # $i" > $f; done; ';
    const change = 'git add -A; git commit -q --amend -m $i; git gc -q --prune=now; done';
    const people = ['AUTHOR', 'COMMITTER'].flatMap((it) => [`GIT_${it}_NAME=a`, `GIT_${it}_EMAIL=a@example.com`]);
    await promisify(execFile)('env', [...people, 'sh', '-ec', rounds + change], { cwd: repository.folder });
    await eventually(() => expect(read).toBe(repository.git('rev-parse', 'main')));
    expect(problems).toEqual([]);
  } finally {
    registry.close();
    await turn;
    repository.close();
  }
});
