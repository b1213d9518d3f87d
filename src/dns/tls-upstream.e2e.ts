import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createMeshCa } from '../testing/certificates.ts';
import { eventually } from '../testing/eventually.ts';
import { DnsBench } from './testing/dns-bench.ts';
import { addressesOf, ask, meshName } from './testing/dns-client.ts';
import { withAddress } from './testing/dns-double.ts';

let bench: DnsBench;
beforeAll(async () => {
  bench = await DnsBench.create();
});
afterEach(() => bench.close());

describe('the connection to the server of the mesh', () => {
  const unable: readonly [string, () => Promise<Awaited<ReturnType<DnsBench['tls']>>>, RegExp][] = [
    [
      'of a root that is not the mesh’s',
      async () => bench.tls(withAddress('10.6.6.6'), undefined, await createMeshCa()),
      /certificate/,
    ],
    ['for another name', () => bench.tls(withAddress('10.6.6.6'), { dnsNames: ['other.example'] }), /altnames/],
    ['that has expired', () => bench.tls(withAddress('10.6.6.6'), { dnsNames: ['localhost'], days: -1 }), /expired/],
    ['of no kind', () => bench.plain(withAddress('10.6.6.6')), /./],
  ];

  test.each(unable)('is not used with a certificate %s', async (_, start, reason) => {
    const [mesh, plain] = [await start(), await bench.plain(withAddress('10.6.6.6'))];
    const { port } = await bench.serve(mesh, [plain], { timing: { queryMs: 1_000, firstBackoffMs: 2_000 } });
    expect((await ask(port, meshName)).rcode).toBe('SERVFAIL');
    expect([...mesh.heard, ...plain.heard]).toEqual([]);
    expect(bench.warnings[0]).toMatch(reason);
  });

  test('is not made without roots, and is once there are some', async () => {
    const [mesh, plain] = [await bench.tls(withAddress('10.0.0.1')), await bench.plain(withAddress('10.6.6.6'))];
    let roots = '';
    const readRoots = async (): Promise<string> => {
      if (roots === '') throw new Error('cannot read the root certificate');
      return roots;
    };
    const { port } = await bench.serve(mesh, [plain], {
      meshServer: { host: 'localhost', port: mesh.port, readRoots },
      timing: { queryMs: 500, firstBackoffMs: 100 },
    });
    expect((await ask(port, meshName)).rcode).toBe('SERVFAIL');
    expect([mesh.connections, plain.heard]).toEqual([0, []]);
    roots = bench.ca.rootCertificate;
    await eventually(async () => expect(addressesOf(await ask(port, meshName))).toEqual(['10.0.0.1']));
  });

  test('is made again when it is lost, and a query on the way is not', async () => {
    let asked = 0;
    const mesh = await bench.tls((query, send, { connection }) => {
      asked += 1;
      if (asked === 2) connection?.destroy();
      else withAddress('10.0.0.1')(query, send, {});
    });
    const { port } = await bench.serve(mesh, []);
    for (let n = 0; n < 3; n++) expect(addressesOf(await ask(port, meshName))).toEqual(['10.0.0.1']);
    expect(mesh.connections).toBe(2);
  });

  test('is given up when nothing comes over it any more', async () => {
    const mesh = await bench.tls((query, send, { connection }) => {
      if (mesh.connections === 1 && mesh.heard.length > 1) connection?.pause();
      else withAddress('10.0.0.1')(query, send, {});
    });
    const { port } = await bench.serve(mesh, [], { timing: { queryMs: 1_000 } });
    const rcodes: string[] = [];
    for (let n = 0; n < 3; n++) rcodes.push((await ask(port, meshName)).rcode);
    expect(rcodes).toEqual(['NOERROR', 'SERVFAIL', 'NOERROR']);
  });

  test('continues after an answer that comes too late, and gives it to no query', async () => {
    let late: (() => void) | undefined;
    const mesh = await bench.tls((query, send, double) => {
      const answer = (): void => withAddress('10.0.0.1')(query, send, double);
      if (late === undefined) late = answer;
      else answer();
    });
    const { port } = await bench.serve(mesh, [], { timing: { queryMs: 500 } });
    const first = ask(port, meshName);
    await eventually(() => expect(late).toBeDefined());
    expect(addressesOf(await ask(port, meshName))).toEqual(['10.0.0.1']);
    expect((await first).rcode).toBe('SERVFAIL');
    late?.();
    for (let n = 0; n < 2; n++) expect(addressesOf(await ask(port, meshName))).toEqual(['10.0.0.1']);
    expect(mesh.connections).toBe(1);
  });

  test('takes no answer to another question', async () => {
    const mesh = await bench.tls((query, send, double) => {
      const questions = (query.questions ?? []).map((question) => ({ ...question, name: `other.${question.name}` }));
      withAddress('10.6.6.6')({ ...query, questions }, send, double);
      withAddress('10.0.0.1')(query, send, double);
    });
    const { port } = await bench.serve(mesh, []);
    expect(addressesOf(await ask(port, meshName))).toEqual(['10.0.0.1']);
  });

  test('is tried again later and later while it cannot be had', async () => {
    const mesh = await bench.tls((_query, _send, { connection }) => connection?.destroy());
    const { port } = await bench.serve(mesh, [], { timing: { queryMs: 300, firstBackoffMs: 100 } });
    const end = performance.now() + 1_500;
    while (performance.now() < end) {
      expect((await ask(port, meshName)).rcode).toBe('SERVFAIL');
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    // At 0, then after waits of 50 to 100, 100 to 200, 200 to 400, 400 to 800 ms …
    expect(mesh.connections).toBeGreaterThan(1);
    expect(mesh.connections).toBeLessThan(7);
  });

  test('is closed when nobody asks, and made again for the next query', async () => {
    let ended = 0;
    const mesh = await bench.tls((query, send, { connection }) => {
      connection?.once('close', () => (ended += 1));
      withAddress('10.0.0.1')(query, send, {});
    });
    const { port } = await bench.serve(mesh, [], { timing: { idleMs: 50 } });
    await ask(port, meshName);
    await eventually(() => expect(ended).toBe(1));
    expect(addressesOf(await ask(port, meshName))).toEqual(['10.0.0.1']);
    expect(mesh.connections).toBe(2);
  });
});
