import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, credentials } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { decodeMessage } from '../../envoy/api/decode.ts';
import { encodeMessage } from '../../envoy/api/encode.ts';
import { authorityIn, startTestAuthority, type TestAuthority } from '../../identity/testing/test-authority.ts';
import { createMeshCa } from '../../testing/certificates.ts';
import { eventually } from '../../testing/eventually.ts';
import { createLog } from '../log/log.ts';
import { FileSecrets } from './file-secrets.ts';
import { type IdentityService, type IdentityServiceOptions, startIdentityService } from './identity-service.ts';

let folder: string;
let lines: string[];
const log = createLog({ isJson: false, level: 'info', write: (line) => void lines.push(line) });
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'service-'));
  lines = [];
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('startIdentityService', () => {
  let authority: TestAuthority;
  let service: IdentityService | undefined;
  let client: Client | undefined;
  beforeEach(async () => {
    authority = await startTestAuthority();
  });
  afterEach(async () => {
    client?.close();
    await service?.close();
    authority.close();
  });

  const start = async (lifetimeMs: number, options: Partial<IdentityServiceOptions> = {}): Promise<void> => {
    const signer = await authorityIn(join(folder, 'platform'), authority, { lifetimeMs });
    const configPath = join(folder, 'proxy');
    await mkdir(configPath);
    service = await startIdentityService({ configPath, identityFolder: undefined, authority: signer, log, ...options });
  };
  const outputs = (): Promise<string[]> =>
    Promise.all(['cert-chain.pem', 'key.pem'].map((name) => readFile(join(folder, 'out', name), 'utf8')));

  test('renews and writes the certificate to OUTPUT_CERTS although no client requests a secret', async () => {
    await start(2_000, { outputFolder: join(folder, 'out') });
    const serials = new Set<string>();
    await eventually(async () => {
      const [chain = '', key = ''] = await outputs();
      const leaf = new X509Certificate(chain);
      if (leaf.checkPrivateKey(createPrivateKey(key))) serials.add(leaf.serialNumber);
      expect(serials.size).toBe(3);
    });
    expect(service?.problem).toBeUndefined();
  });

  test('goes on serving when the output folder is lost, and writes again when it is back', async () => {
    const outputFolder = join(folder, 'out');
    await start(2_000, { outputFolder });
    await eventually(async () => expect(await readdir(outputFolder)).toContain('cert-chain.pem'));
    await rm(outputFolder, { recursive: true });
    await writeFile(outputFolder, '');
    await eventually(() => expect(lines.join('')).toContain('the identity cannot be written'));
    const { length } = authority.seen;
    await rm(outputFolder);
    await mkdir(outputFolder);
    await eventually(async () => expect(await readdir(outputFolder)).toContain('cert-chain.pem'));
    expect(authority.seen.length).toBeGreaterThan(length);
  });

  test('asks for a certificate as soon as the file of roots holds a new one', async () => {
    await start(40_000);
    const taken = (): number => lines.filter((line) => line.includes('identity in service')).length;
    await eventually(() => expect(taken()).toBe(1));
    const next = await createMeshCa();
    const both = authority.ca.rootCertificate + next.rootCertificate;
    authority.answer = async ({ request }) => ({
      certificateChain: [await next.certify(request.csr, 'spiffe://cluster.local/ns/foo/sa/httpbin'), both],
    });
    await writeFile(join(folder, 'platform', 'ca-root.pem'), both);
    await eventually(() => expect(taken()).toBe(2));
    expect(lines.join('')).toContain('the mesh has a new root');
    expect(authority.seen).toHaveLength(2);
  });

  test('sends a new root before the certificate that leads to it', async () => {
    await start(4_000);
    client = new Client(`unix:${join(folder, 'proxy', 'SDS')}`, credentials.createInsecure());
    const path = '/envoy.service.secret.v3.SecretDiscoveryService/StreamSecrets';
    const asIs = (bytes: Buffer): Buffer => bytes;
    const call = client.makeBidiStreamRequest(path, asIs, asIs);
    const sent: { chain: string; root: string }[] = [];
    call.on('data', (bytes: Buffer) => void sent.push(secretsOf(bytes)));
    call.on('error', () => undefined);
    call.write(
      Buffer.from(
        encodeMessage('envoy.service.discovery.v3.DiscoveryRequest', {
          node: { id: 'n' },
          resource_names: ['default', 'ROOTCA'],
        }),
      ),
    );
    await eventually(() => expect(sent.at(-1)?.chain).toContain('BEGIN'));
    const before = sent.at(-1);
    const next = await createMeshCa();
    authority.answer = async ({ request }) => ({
      certificateChain: [
        await next.certify(request.csr, 'spiffe://cluster.local/ns/foo/sa/httpbin'),
        authority.ca.rootCertificate + next.rootCertificate,
      ],
    });
    const { length } = sent;
    await eventually(() => expect(sent.length).toBe(length + 2), { interval: 10 });
    const [root, leaf] = sent.slice(-2);
    expect(root?.chain).toBe(before?.chain);
    expect(root?.root.match(/BEGIN/g)).toHaveLength(2);
    expect(leaf?.root).toBe(root?.root);
    expect(leaf?.chain).not.toBe(before?.chain);
  });
});

interface WireSecret {
  readonly tls_certificate?: { readonly certificate_chain: { readonly inline_bytes: string } };
  readonly validation_context?: { readonly trusted_ca: { readonly inline_bytes: string } };
}

function secretsOf(bytes: Buffer): { chain: string; root: string } {
  const { resources = [] } = decodeMessage('envoy.service.discovery.v3.DiscoveryResponse', bytes) as {
    readonly resources?: readonly WireSecret[];
  };
  const text = (inline: string | undefined): string => Buffer.from(inline ?? '', 'base64').toString();
  return {
    chain: text(resources.find((one) => one.tls_certificate)?.tls_certificate?.certificate_chain.inline_bytes),
    root: text(resources.find((one) => one.validation_context)?.validation_context?.trusted_ca.inline_bytes),
  };
}

describe('FileSecrets', () => {
  let secrets: FileSecrets | undefined;
  afterEach(() => secrets?.close());
  const open = (): FileSecrets => {
    secrets = new FileSecrets(() => undefined, log, [`${folder}/`]);
    return secrets;
  };
  const names = (): string[] => (secrets?.resources ?? []).map(({ name }) => name);

  test('serves roots of a file, follows five swaps of its folder, and keeps the last valid roots', async () => {
    const swap = async (i: number, text: string): Promise<void> => {
      await mkdir(join(folder, `..${i}`));
      await writeFile(join(folder, `..${i}`, 'ca.pem'), text);
      await symlink(`..${i}`, join(folder, '..next'));
      await rename(join(folder, '..next'), join(folder, '..data'));
    };
    await swap(0, (await createMeshCa()).rootCertificate);
    await symlink('..data/ca.pem', join(folder, 'ca.pem'));
    const name = `file-root:${folder}/ca.pem`;
    expect(open().ask(name)).toBe(true);
    const versions = new Set<string>();
    for (let i = 1; i <= 5; i++) {
      await eventually(() => expect(secrets?.resources[0]?.version).not.toBe([...versions].at(-1)));
      versions.add(secrets?.resources[0]?.version ?? '');
      await swap(i, (await createMeshCa()).rootCertificate);
    }
    expect(versions.size).toBe(5);
    await eventually(() => expect(versions).not.toContain(secrets?.resources[0]?.version));
    const { version } = secrets?.resources[0] ?? {};
    await writeFile(join(folder, 'ca.pem'), 'junk');
    await eventually(() => expect(lines.join('')).toContain('holds no certificate'));
    expect(secrets?.resources[0]?.version).toBe(version);
  });

  test('serves a pair that matches', async () => {
    const issued = await (await createMeshCa()).issue('', { uris: [], dnsNames: ['a.b'] });
    await writeFile(join(folder, 'a.crt'), issued.certificateChain);
    await writeFile(join(folder, 'a.key'), 'junk');
    const name = `file-cert:${folder}/a.crt~${folder}/a.key`;
    open().ask(name);
    await eventually(() => expect(lines.join('')).toContain('private key cannot be read'));
    expect(names()).toEqual([]);
    await writeFile(join(folder, 'a.key'), issued.privateKey);
    await eventually(() => expect(names()).toEqual([name]));
  });

  test.each(['file-root:/proc/self/environ', 'file-root:etc/ca.pem', 'file-cert:a~b~c', 'file-root:'])(
    'does not read %s',
    (name) => {
      expect(open().ask(name)).toBe(true);
      expect(lines.join('')).toContain('its path is not allowed');
    },
  );

  test('does not climb out of its folders', () => {
    open().ask(`file-root:${folder}/../secret.pem`);
    expect(lines.join('')).toContain('its path is not allowed');
    expect(open().ask('default')).toBe(false);
  });
});
