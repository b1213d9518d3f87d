import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openSelfSigned } from '../../control/ca/self-signed.ts';
import { createTokenMint } from '../../control/testing/token-mint.ts';
import { eventually } from '../../testing/eventually.ts';
import { ProxyProgram } from '../agent/testing/proxy-program.ts';
import { podMesh } from '../agent/testing/sample-mesh.ts';

const meshd = resolve(import.meta.dirname, '../../../dist/meshd.js');

interface ShownCertificates {
  readonly certificates?: readonly {
    readonly cert_chain: readonly {
      readonly serial_number: string;
      readonly subject_alt_names: readonly { readonly uri: string }[];
    }[];
  }[];
}

describe('meshd serve and pilot-agent proxy', () => {
  let proxy: ProxyProgram;
  beforeEach(async () => {
    proxy = await ProxyProgram.create(podMesh());
  });
  afterEach(() => proxy.close());

  /** What the real Envoy shows to others now: serial number and identity. */
  const shown = (): readonly (readonly [string, string])[] => {
    const { status, body } = proxy.curl('http://127.0.0.1:15000/certs');
    if (status !== 200) return [];
    const { certificates = [] } = JSON.parse(body) as ShownCertificates;
    return certificates.flatMap(({ cert_chain: chain }) =>
      chain.map((leaf) => [leaf.serial_number, leaf.subject_alt_names[0]?.uri ?? ''] as const),
    );
  };

  test('give a workload the identity of its token, and renew it again and again', async () => {
    const mint = createTokenMint();
    const signer = await openSelfSigned({
      folder: join(proxy.folder, 'var/lib/mesh/ca'),
      trustDomain: 'cluster.local',
      keyAlgorithm: 'ECDSA',
      clock: Date.now,
    });
    for (const [path, text] of [
      ['keys.json', mint.keySet],
      ['var/run/secrets/mesh/root-cert.pem', signer.roots],
      ['var/run/secrets/tokens/mesh-token', await mint.mint('foo/httpbin')],
    ] as const) {
      await mkdir(join(proxy.folder, path, '..'), { recursive: true });
      await writeFile(join(proxy.folder, path), text);
    }
    const serve = `'${process.execPath}' '${meshd}' serve --tokenKeys keys.json --tokenIssuer '${mint.issuer}' --log_as_json`;
    proxy.start({
      environment: { CA_ADDR: 'localhost:15012', MESHD_CUSTOM_HOST: 'localhost', PROV_CERT: '', SECRET_TTL: '10s' },
      prepare: `${serve} >meshd.log 2>&1 &`,
    });
    await proxy.untilReady();
    const serials = new Set<string>();
    await eventually(
      () => {
        for (const [serial, uri] of shown()) {
          expect(uri).toBe('spiffe://cluster.local/ns/foo/sa/httpbin');
          serials.add(serial);
        }
        expect(serials.size).toBeGreaterThan(2);
      },
      { interval: 100 },
    );
    const audit = (await proxy.readOwn('meshd.log'))
      .split('\n')
      .filter((line) => line.includes('"certificate issued"'));
    const issued = new Map(
      audit.map((line) => JSON.parse(line)).map(({ serial, by }) => [serial as string, by as string]),
    );
    expect([...serials].filter((serial) => issued.get(serial) !== 'token')).toEqual([]);
  });
});
