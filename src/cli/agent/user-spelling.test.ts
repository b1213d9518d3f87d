import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { expectedVersions } from '../../agent/reload/in-force.ts';
import { adminAddressOf, usesMeshSecrets } from '../../agent/reload/proxy-files.ts';
import type { ProxyFiles } from '../../contracts/proxy-files.ts';
import { createCompileProxy } from '../../live/compile-proxy.ts';
import { FetchedKeySets } from '../../live/key-sets/remote.ts';
import { objects, serviceMesh } from './testing/sample-mesh.ts';

const log = { info: () => undefined, warn: () => undefined, error: () => undefined, debug: () => undefined };

/** Fields by protobuf's JSON names; keys that are no fields hold a dot, or name the operators of an access log. */
const camelCase = (text: string): string =>
  text.replaceAll(/"[a-z0-9]+(?:_[a-z0-9]+)+":(?! "%)/g, (key) =>
    key.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()),
  );

describe('templates of the user in the other spelling', () => {
  let folder: string;
  const keySets = new FetchedKeySets({ allowedHosts: [], log: log as never, onFetch: () => undefined });

  async function compiled(templates?: string): Promise<ProxyFiles> {
    const { compile } = createCompileProxy({
      settings: { environment: {}, flags: {} },
      policies: [join(folder, 'mesh')],
      watched: [],
      templateFile: templates,
      identity: { namespace: 'foo', name: 'httpbin', ip: undefined, domain: undefined },
      role: 'sidecar',
      fallbackSecret: '',
      keySets,
    });
    const result = await compile();
    if (!('files' in result)) expect.fail('problems' in result ? result.problems.join('\n') : String(result.failure));
    return result.files;
  }

  /** Our templates with each text changed. */
  function templates(change: (text: string) => string): string {
    const mine = join(folder, 'templates');
    cpSync('templates', mine, { recursive: true });
    for (const name of readdirSync(mine, { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.hbs')) continue;
      writeFileSync(join(mine, name), change(readFileSync(join(mine, name), 'utf8')));
    }
    return mine;
  }

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'spelling-'));
    mkdirSync(join(folder, 'mesh'));
    writeFileSync(join(folder, 'mesh', 'mesh.yaml'), objects(serviceMesh));
  });
  afterEach(() => {
    keySets.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('give the configuration that ours give, byte by byte', async () => {
    const ours = await compiled();
    const theirs = await compiled(templates(camelCase));
    for (const file of ['bootstrap', 'clusters', 'listeners', 'routes'] as const) {
      expect(theirs[file]).toEqual(ours[file]);
    }
  });

  test('leave routes to wait for, an admin interface, and the need of an identity', async () => {
    const files = await compiled(templates(camelCase));
    expect(expectedVersions(files).routes.size).toBeGreaterThan(1);
    expect(expectedVersions(files)).toEqual(expectedVersions(await compiled()));
    expect(adminAddressOf(files)).toEqual({ host: '127.0.0.1', port: 15000 });
    expect(usesMeshSecrets(files)).toBe(true);
  });

  test('need an identity in whatever order a secret and its source are written', async () => {
    const turned = (text: string): string =>
      text.replaceAll(/"name": ("default"|"ROOTCA"), ("sds_config": \{\{> sds-source\}\})/g, '$2, "name": $1');
    const files = await compiled(templates(turned));
    expect(files.listeners.text).toMatch(/"name": "default"\n/);
    expect(usesMeshSecrets(files)).toBe(true);
  });

  test('put the admin interface where they say, with null for a field that is absent', async () => {
    const nulls = (text: string): string => text.replaceAll('"socket_address":', '"pipe": null, "socketAddress":');
    expect(adminAddressOf(await compiled(templates(nulls)))).toEqual({ host: '127.0.0.1', port: 15000 });
  });
});
