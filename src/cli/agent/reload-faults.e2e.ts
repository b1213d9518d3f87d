import { execFileSync } from 'node:child_process';
import { chmod, mkdir, open, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { topology as gatewayTopology } from './testing/gateway-objects.ts';
import { ProxyProgram } from './testing/proxy-program.ts';
import { denyPath, serviceMesh } from './testing/sample-mesh.ts';

describe('pilot-agent proxy, when the environment fails while it runs', () => {
  let proxy: ProxyProgram;

  beforeEach(async () => {
    proxy = await ProxyProgram.create(serviceMesh);
    await proxy.write('mesh/p.yaml', denyPath('/first'));
  });
  afterEach(() => proxy.close());

  /** The folder that Envoy reads, as the program sees it: it may have mounts of its own. */
  const seen = (name = ''): string => `/proc/${proxy.pid}/root${proxy.folder}/etc/mesh/proxy/${name}`;
  const denied = async (): Promise<string | undefined> =>
    /"exact": "(\/[a-z]+)"/.exec(await readFile(seen('listeners.json'), 'utf8'))?.[1];
  const denies = (path: string): Promise<void> =>
    eventually(async () => expect(await denied()).toBe(path), { interval: 20 });
  const isReady = (): boolean => proxy.curl('http://127.0.0.1:15020/healthz/ready').status === 200;
  const inMounts = (...command: readonly string[]): string =>
    execFileSync('nsenter', ['-t', String(proxy.pid), '-m', ...command], { encoding: 'utf8' });
  /** Starts the program with a file system of its own, of so many bytes, where Envoy's files are. */
  const startOnSmallDisk = async (): Promise<void> => {
    await mkdir(join(proxy.folder, 'etc/mesh/proxy'), { recursive: true });
    const mount = 'mount -t tmpfs -o size=2m,mode=700 tmpfs etc/mesh/proxy';
    proxy.start({ prepare: `exec unshare --mount sh -c '${mount} && exec "$@"' sh "$@"` });
    await proxy.logged('state=running');
  };

  test('keeps serving on a full disk, leaves no half file, and takes the change over when there is space again', async () => {
    await startOnSmallDisk();
    const before = (await readdir(seen())).sort();
    const filler = await open(seen('filler'), 'w');
    await expect(
      (async () => {
        for (let left = 4_096; left > 0; left--) await filler.write(Buffer.alloc(1_024));
      })(),
    ).rejects.toThrow('ENOSPC');
    await filler.close();
    await proxy.write('mesh/p.yaml', denyPath('/second'));
    await proxy.logged(/the last valid configuration stays in force: cannot write .*ENOSPC/);
    expect(await denied()).toBe('/first');
    expect((await readdir(seen())).sort()).toEqual([...before, 'filler'].sort());
    expect(isReady()).toBe(true);
    await rm(seen('filler'));
    await denies('/second');
    expect(isReady()).toBe(true);
  });

  test('keeps serving from a file system that became read-only, and goes on when it is writable again', async () => {
    await startOnSmallDisk();
    inMounts('mount', '-o', 'remount,ro', join(proxy.folder, 'etc/mesh/proxy'));
    await proxy.write('mesh/p.yaml', denyPath('/second'));
    await proxy.logged(/the last valid configuration stays in force: cannot write .*EROFS/);
    expect(await denied()).toBe('/first');
    expect(isReady()).toBe(true);
    inMounts('mount', '-o', 'remount,rw', join(proxy.folder, 'etc/mesh/proxy'));
    await denies('/second');
  });

  test.each([
    ['a file system of its own', 'mount -t tmpfs tmpfs policies'],
    ['a part of the same file system', 'mkdir source && mount --bind source policies'],
  ])('keeps the policies of a folder whose mount (%s) ends, until they are removed from it', async (_, mount) => {
    await proxy.remove('mesh/p.yaml');
    await mkdir(join(proxy.folder, 'policies'));
    await proxy.write('p.yaml', denyPath('/first'));
    const start = `${mount} && cp p.yaml policies && exec "$@"`;
    proxy.start({
      args: ['--policies', 'mesh', '--policies', 'policies'],
      prepare: `exec unshare --mount sh -c '${start}' sh "$@"`,
    });
    await proxy.logged('state=running');
    expect(await denied()).toBe('/first');
    const policies = join(proxy.folder, 'policies');
    inMounts('umount', policies);
    await proxy.logged(/the last valid configuration stays in force: the folder "policies" has no input any more/);
    expect(await denied()).toBe('/first');
    inMounts('sh', '-c', `mount -t tmpfs tmpfs ${policies} && echo 'kind: List\nitems: []' > ${policies}/none.yaml`);
    await eventually(async () => expect(await denied()).toBeUndefined());
    expect(isReady()).toBe(true);
  });

  test('keeps the last valid policies while a file may not be read', async () => {
    const nobody = '65534';
    execFileSync('mkdir', ['-p', join(proxy.folder, 'etc/mesh/proxy')]);
    execFileSync('chown', ['-R', `${nobody}:${nobody}`, proxy.folder]);
    const drop = `setpriv --reuid=${nobody} --regid=${nobody} --clear-groups`;
    proxy.start({ prepare: `exec ${drop} "$@"` });
    await proxy.logged('state=running');
    await chmod(join(proxy.folder, 'mesh/p.yaml'), 0);
    await proxy.logged(/the last valid configuration stays in force: cannot read "mesh\/p\.yaml": EACCES/);
    expect(await denied()).toBe('/first');
    expect(isReady()).toBe(true);
    await writeFile(join(proxy.folder, 'mesh/p.yaml'), denyPath('/second'));
    await chmod(join(proxy.folder, 'mesh/p.yaml'), 0o644);
    await denies('/second');
  });

  test('keeps the last valid policies when all files are gone, and goes on when they come back', async () => {
    proxy.start();
    await proxy.logged('state=running');
    await rename(join(proxy.folder, 'mesh'), join(proxy.folder, 'away'));
    await mkdir(join(proxy.folder, 'mesh'));
    await proxy.logged(/the last valid configuration stays in force: .*\[empty-input\]/s);
    expect(await denied()).toBe('/first');
    expect(isReady()).toBe(true);
    await proxy.write('away/p.yaml', denyPath('/second'));
    await rm(join(proxy.folder, 'mesh'), { recursive: true });
    await rename(join(proxy.folder, 'away'), join(proxy.folder, 'mesh'));
    await denies('/second');
  });

  test('does not hang at pipes and devices, nor lose itself in loops of links', async () => {
    proxy.start();
    await proxy.logged('state=running');
    await symlink('.', join(proxy.folder, 'mesh/again'));
    execFileSync('mkfifo', [join(proxy.folder, 'mesh/pipe.yaml')]);
    await proxy.logged(/the last valid configuration stays in force: "mesh\/.*pipe\.yaml" is a pipe or device/);
    expect(await denied()).toBe('/first');
    await rm(join(proxy.folder, 'mesh/pipe.yaml'));
    await symlink('/dev/zero', join(proxy.folder, 'mesh/zero.yaml'));
    await proxy.logged(/zero\.yaml" is a link out of the folder "mesh", to "\/dev\/zero"/);
    await rm(join(proxy.folder, 'mesh/zero.yaml'));
    await symlink('..', join(proxy.folder, 'mesh/up'));
    await proxy.logged(
      /the last valid configuration stays in force: "mesh\/up" is a link out of the folder "mesh", to "/,
    );
    await rm(join(proxy.folder, 'mesh/up'));
    await proxy.write('mesh/p.yaml', denyPath('/second'));
    await denies('/second');
  });

  test('keeps the policies of an emptied file and reports them, until the file is a List without items; a change names its policies', async () => {
    await proxy.write('mesh/empty.yaml', '# later\n');
    proxy.start();
    await proxy.logged('state=running');
    expect(proxy.output).toMatch(/error\tvalidation\tmesh\/empty\.yaml:1:1: error: the file contains no object/);
    await proxy.write('mesh/p.yaml', '');
    const held = 'the last valid version of AuthorizationPolicy foo/p stays in force: mesh/p.yaml:1:1: error: ';
    await proxy.logged(held);
    const metric = () => proxy.curl('http://127.0.0.1:15020/stats/prometheus').body;
    expect(metric()).toContain('mesh_agent_objects_held 1');
    await proxy.write('mesh/q.yaml', denyPath('/other', 'q'));
    await proxy.logged(/configuration in force\t.*added=\["AuthorizationPolicy foo\/q"\]/);
    expect(await proxy.read('listeners.json')).toContain('"exact": "/first"');
    await proxy.write('mesh/p.yaml', 'kind: List\nitems: []\n');
    await proxy.logged(/configuration in force\t.*removed=\["AuthorizationPolicy foo\/p"\]/);
    expect(metric()).toContain('mesh_agent_objects_held 0');
    await proxy.write('mesh/q.yaml', denyPath('/second', 'q'));
    await proxy.logged(/configuration in force\t.*changed=\["AuthorizationPolicy foo\/q"\]/);
    await proxy.write('mesh/q.yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: q}\n');
    await proxy.logged(
      'mesh/q.yaml:1:1: warning: this file used to contain AuthorizationPolicy foo/q, which no longer applies',
    );
    await proxy.logged(/configuration in force\t.*removed=\["AuthorizationPolicy foo\/q"\]/);
  });

  test('keeps the last valid version of a file that is half written, until the other half comes', async () => {
    proxy.start();
    await proxy.logged('state=running');
    const text = denyPath('/second');
    const file = await open(join(proxy.folder, 'mesh/p.yaml'), 'w');
    await file.write(text.slice(0, text.indexOf('/second')));
    await proxy.logged(/the last valid version of AuthorizationPolicy foo\/p stays in force: mesh\/p\.yaml:4:/);
    expect(await denied()).toBe('/first');
    await file.write(text.slice(text.indexOf('/second')));
    await file.close();
    await denies('/second');
  });
});

describe('a change that Envoy alone can refuse', () => {
  let proxy: ProxyProgram;
  afterEach(() => proxy?.close());

  test("is said with the policy and the line that it comes from, and with Envoy's reason", async () => {
    proxy = await ProxyProgram.create(gatewayTopology);
    const gateway = (name: string, port: number): string => `
apiVersion: networking.mesh.io/v1alpha3
kind: Gateway
metadata: {name: ${name}, namespace: foo}
spec:
  selector: {mesh: ingressgateway}
  servers: [{port: {number: ${port}, name: http, protocol: HTTP}, hosts: ["*"]}]
---
apiVersion: networking.mesh.io/v1alpha3
kind: VirtualService
metadata: {name: ${name}, namespace: foo}
spec: {hosts: ["*"], gateways: [${name}], http: [{directResponse: {status: 200, body: {string: ${name}}}}]}
`;
    await proxy.write('mesh/first.yaml', gateway('first', 80));
    const holder = "require('node:net').createServer().listen(9999, '0.0.0.0')";
    proxy.start({ role: 'router', prepare: `"${process.execPath}" -e "${holder}" &` });
    await proxy.logged('state=running');
    await proxy.write('mesh/second.yaml', gateway('second', 9999));
    await proxy.logged(/Envoy refused it: .*Address already in use.* \(from Gateway foo\/second, mesh\/second\.yaml:7/);
    expect(proxy.curl('http://127.0.0.1:8080/')).toMatchObject({ status: 200, body: 'first' });
    await proxy.write('mesh/second.yaml', gateway('second', 9998));
    await eventually(() => expect(proxy.curl('http://127.0.0.1:9998/').body).toBe('second'));

    const tls = 'tls: {mode: SIMPLE, serverCertificate: /nowhere/cert.pem, privateKey: /nowhere/key.pem}';
    const secure = gateway('third', 9997).replace('protocol: HTTP}', `protocol: HTTPS}, ${tls}`);
    await proxy.write('mesh/third.yaml', secure);
    await proxy.logged(/Envoy refuses it: .*\/nowhere\/key\.pem \(from Gateway foo\/third, mesh\/third\.yaml:7/);
    expect(proxy.curl('http://127.0.0.1:8080/')).toMatchObject({ status: 200, body: 'first' });
  });
});
