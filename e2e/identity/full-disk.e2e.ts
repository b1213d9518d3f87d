import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { openSandbox, type Sandbox, scratch } from '../../src/testbed/sandbox.ts';
import { until } from '../../src/testbed/until.ts';
import { describeMesh } from '../testing/describe-mesh.ts';
import { ControlPlane } from './control-plane.ts';
import { createIdentityMesh, type IdentityMesh } from './identity-mesh.ts';
import { failuresOf, serialsOf, startCalls, untilRotated, untilWritten } from './watching.ts';

/** A disk of its own for a folder of the sandbox. */
async function mountDisk(sandbox: Sandbox, folder: string): Promise<void> {
  const script = `mkdir -p ${scratch}/${folder}; mount -t tmpfs -o size=256k,mode=777 tmpfs ${scratch}/${folder}`;
  await sandbox.must(['sh', '-ec', script]);
}

/** Until not a byte more fits. */
async function fill(sandbox: Sandbox, folder: string): Promise<void> {
  const script = `cd ${scratch}/${folder}; cat /dev/zero > filling 2>/dev/null; ! echo more > test; rm test`;
  await sandbox.must(['sh', '-c', script]);
}

async function free(sandbox: Sandbox, folder: string): Promise<void> {
  await sandbox.must(['rm', `${scratch}/${folder}/filling`]);
}

describeMesh('a full disk', () => {
  const out = 'foo-server/out';
  let mesh: IdentityMesh;
  beforeAll(async () => {
    mesh = await createIdentityMesh({
      lifetime: '10s',
      graceRatio: 0.7,
      env: { OUTPUT_CERTS: 'out' },
      prepare: async (sandbox) => {
        await mountDisk(sandbox, out);
        await mountDisk(sandbox, 'meshd/ca');
      },
    });
  });
  afterAll(() => mesh?.testbed.close());

  /** Serial number of the certificate that is written out; undefined where the key beside it is another's. */
  async function serialWritten(): Promise<string | undefined> {
    const script = `cd ${scratch}/${out}
      openssl x509 -in cert-chain.pem -noout -serial
      openssl x509 -in cert-chain.pem -noout -pubkey | tr -d '\\n'
      echo
      openssl pkey -in key.pem -pubout | tr -d '\\n'`;
    const output = await mesh.testbed.sandbox.must(['sh', '-ec', script]);
    const [serial = '', certified, own] = output.trim().split('\n');
    return certified === own ? serial.replace('serial=', '').toLowerCase() : undefined;
  }

  test('of OUTPUT_CERTS fails no request, leaves the last pair whole, and is caught up with', async () => {
    const { sandbox } = mesh.testbed;
    const server = mesh.testbed.sidecar('foo/server');
    const from = (await server.output()).length;
    const load = await startCalls(mesh);
    await fill(sandbox, out);
    await untilWritten(server.program.output, /error.*the identity cannot be written: ENOSPC.*/, from);
    const left = await serialWritten();
    expect(left).toMatch(/^[0-9a-f]+$/);
    await untilRotated(mesh);
    expect(await serialWritten()).toBe(left);
    await free(sandbox, out);
    // Two renames write a pair: between them the new key lies beside the old certificate.
    const isNew = async (): Promise<true | undefined> => {
      const written = await serialWritten();
      const inForce = await serialsOf(mesh.testbed, 'foo/server');
      return written !== undefined && inForce.has(written) ? true : undefined;
    };
    await until(isNew, { timeoutMs: 60_000, everyMs: 100, otherwise: async () => 'nothing is written' });
    expect(failuresOf(await load.stop())).toEqual({ failed: 0, first: [] });
  });

  test('of the CA keeps it neither from signing nor from starting again', async () => {
    const load = await startCalls(mesh);
    await fill(mesh.testbed.sandbox, 'meshd/ca');
    await untilRotated(mesh);
    await mesh.plane.kill();
    await mesh.plane.start();
    await untilRotated(mesh);
    await free(mesh.testbed.sandbox, 'meshd/ca');
    expect(failuresOf(await load.stop())).toEqual({ failed: 0, first: [] });
  });
});

describeMesh('a first start of meshd', () => {
  let sandbox: Sandbox;
  beforeEach(async () => {
    sandbox = await openSandbox();
    await sandbox.must(['sh', '-ec', 'ip netns add mesh-system-meshd; ip -n mesh-system-meshd link set lo up']);
  });
  afterEach(() => sandbox?.close());

  test('on a full disk ends with 3, leaves no part of an authority, and is well once there is room', async () => {
    const plane = await ControlPlane.create(sandbox);
    await mountDisk(sandbox, 'meshd/ca');
    await fill(sandbox, 'meshd/ca');
    expect(await (await plane.launch()).exited).toBe(3);
    expect(await plane.output()).toMatch(/cannot keep a certificate authority in "ca".*ENOSPC/s);
    expect((await sandbox.must(['ls', `${scratch}/meshd/ca`])).trim()).toBe('filling');
    await free(sandbox, 'meshd/ca');
    await plane.start();
    expect(await plane.root()).toContain('BEGIN CERTIFICATE');
  });
});
