import { X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { connectTo, type RawAnswer, type RawRequest, send } from '../../control/testing/control-bench.ts';
import { MeshdProgram } from '../../control/testing/meshd-program.ts';
import { createTestRequest } from '../../control/testing/signing-requests.ts';
import { createTokenMint, type TokenMint } from '../../control/testing/token-mint.ts';
import { TestRepository } from '../../git/testing/test-repository.ts';
import { eventually } from '../../testing/eventually.ts';
import { fakedClock } from '../../testing/faketime.ts';
import { podMesh } from '../agent/testing/sample-mesh.ts';

const program = resolve(import.meta.dirname, '../../../dist/meshd.js');
const identity = 'spiffe://cluster.local/ns/foo/sa/httpbin';

describe('meshd serve', () => {
  const mint: TokenMint = createTokenMint();
  const started: MeshdProgram[] = [];
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'meshd-'));
    await writeFile(join(folder, 'keys.json'), mint.keySet);
  });
  afterEach(async () => {
    for (const meshd of started.splice(0)) {
      meshd.signal('SIGKILL');
      await meshd.exit;
    }
    await rm(folder, { recursive: true, force: true });
  });

  const flags = ['--tokenKeys', 'keys.json', '--tokenIssuer', mint.issuer, '--log_as_json'];
  const anywhere = ['--listen', '127.0.0.1:0', '--monitoringAddr', '127.0.0.1:0', ...flags];
  function start(argv: readonly string[] = anywhere, environment = {}, before: readonly string[] = []): MeshdProgram {
    const meshd = new MeshdProgram(folder, [...before, process.execPath, program, 'serve', ...argv], environment);
    started.push(meshd);
    return meshd;
  }

  const rootOf = (): Promise<string> => readFile(join(folder, 'var/lib/mesh/ca/self-signed-root.pem'), 'utf8');
  async function ask(meshd: MeshdProgram, request: RawRequest = {}): Promise<RawAnswer> {
    const { csr } = await createTestRequest();
    const client = connectTo(await meshd.port(), await rootOf(), request.client);
    const credential = request.client ? {} : { token: await mint.mint('foo/httpbin') };
    const answer = await send(client, { csr, ...credential, ...request });
    client.close();
    return answer;
  }

  test('signs certificates, logs each of them, and exits with 0 after SIGTERM', async () => {
    const meshd = start();
    const { chain } = await ask(meshd);
    expect(new X509Certificate(chain[0]!).subjectAltName).toBe(`URI:${identity}`);
    const audit = meshd.output.split('\n').filter((line) => line.includes('"certificate issued"'));
    expect(audit).toHaveLength(1);
    expect(JSON.parse(audit[0]!)).toMatchObject({ level: 'info', identity, by: 'token' });
    meshd.signal('SIGTERM');
    expect(await meshd.exit).toBe(0);
    expect(meshd.output).toContain('"signal":"SIGTERM"');
  });

  test('serves the commits of a git repository, whatever its working tree holds', async () => {
    const repository = new TestRepository();
    const id = repository.commit({ 'mesh/mesh.yaml': podMesh() });
    repository.write({ 'mesh/mesh.yaml': 'kind: Na' });
    const meshd = start([...anywhere, '--git', repository.folder, '--rev', 'main:mesh']);
    const compiled = (commit: string) => expect(meshd.output).toMatch(`"commit":"${commit}","proxies":1`);
    await eventually(() => compiled(id), { interval: 20 });
    const next = repository.commit({ 'mesh/mesh.yaml': podMesh('127.0.0.2') });
    await eventually(() => compiled(next), { interval: 20 });
    expect(meshd.output).not.toContain('"level":"error"');
    repository.close();
  });

  test('has the same root after it was killed, and renews what it has signed before', async () => {
    const first = start();
    const request = await createTestRequest();
    const { chain } = await ask(first, { csr: request.csr });
    first.signal('SIGKILL');
    expect(await first.exit).toBe('SIGKILL');
    const client = { certificate: chain[0]!, privateKey: request.privateKey };
    const renewed = await ask(start(), { client });
    expect([renewed.code, renewed.chain.at(-1)]).toEqual([0, chain.at(-1)]);
  });

  test('shares one folder with another one: both sign under one root', async () => {
    const [a, b] = [start(), start()];
    const answers = [await ask(a), await ask(b)];
    expect(answers.map(({ code }) => code)).toEqual([0, 0]);
    expect(answers[0]!.chain.at(-1)).toBe(answers[1]!.chain.at(-1));
  });

  test('goes on when the clock jumps 20 hours ahead and back', async () => {
    const time = join(folder, 'time');
    const setTime = async (text: string): Promise<void> => {
      await writeFile(`${time}.new`, text);
      await rename(`${time}.new`, time);
    };
    await setTime('+0');
    const meshd = start(anywhere, fakedClock({ FAKETIME_TIMESTAMP_FILE: time, FAKETIME_NO_CACHE: '1' }));
    const endOf = async (): Promise<number> => {
      const now = Math.floor(Date.now() / 1000);
      const token = await mint.mint('foo/httpbin', { claims: { exp: now + 100_000 } });
      const { code, chain } = await ask(meshd, { token });
      expect(code).toBe(0);
      return (Date.parse(new X509Certificate(chain[0]!).validTo) - Date.now()) / 3_600_000;
    };
    expect(await endOf()).toBeCloseTo(24, 1);
    await setTime('+20h');
    expect(await endOf()).toBeCloseTo(44, 1);
    await setTime('+0');
    expect(await endOf()).toBeCloseTo(24, 1);
    meshd.signal('SIGTERM');
    expect(await meshd.exit).toBe(0);
  });

  test('serves the usual ports, and ends with 3 where one of them is taken', async () => {
    const script = `ip link set lo up && { "$@" & } && first=$! && until curl -sf -o ready http://127.0.0.1:15014/healthz/ready; do kill -0 $first || exit 99; sleep 0.05; done
      curl -s http://127.0.0.1:15014/metrics | grep -c ^mesh_build
      openssl s_client -connect 127.0.0.1:15012 -CAfile var/lib/mesh/ca/self-signed-root.pem -verify_hostname istiod.here.svc -alpn h2 </dev/null 2>&1 | grep -am1 -o 'Verify return code.*'
      "$@"; echo "second $?"; kill -TERM $first; wait $first; echo "first $?"`;
    const namespaces = process.getuid?.() === 0 ? ['--net'] : ['--net', '--map-root-user'];
    const meshd = start(flags, { NAMESPACE: 'here' }, ['unshare', ...namespaces, 'sh', '-c', script, 'sh']);
    expect(await meshd.exit).toBe(0);
    const said = meshd.output.split('\n').filter((line) => !line.startsWith('{'));
    expect(said.filter((line) => line !== '' && !line.startsWith('meshd: '))).toEqual([
      '1',
      'Verify return code: 0 (ok)',
      'second 3',
      'first 0',
    ]);
    expect(meshd.output).toMatch(/meshd: cannot serve :15014: .*address already in use/);
  });

  test('ends with 3 where the socket of registrations cannot be served, and says why', async () => {
    const meshd = start([...anywhere, '--config', folder, '--registrationSocket', `${tmpdir()}/registrations.sock`]);
    expect(await meshd.exit).toBe(3);
    expect(meshd.output).toMatch(/meshd: cannot serve the socket of registrations .*is a folder for everybody/);
  });
});
