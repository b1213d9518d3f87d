import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { sampleProxy } from '../../testing/sample-proxy.ts';
import { staticFormOf } from '../../testing/static-form.ts';
import { createRenderer } from './render.ts';

const envoy = process.env.ENVOY_BINARY ?? join(import.meta.dirname, '../../../.tools/bin/envoy');

async function validate(config: object): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'render-e2e-'));
  try {
    await writeFile(join(folder, 'envoy.json'), JSON.stringify(config));
    const { stdout, stderr } = await promisify(execFile)(
      envoy,
      ['--mode', 'validate', '-c', 'envoy.json', '-l', 'warning', '--log-format', '%l %v'],
      { cwd: folder },
    );
    return stdout + stderr;
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe('createRenderer', () => {
  test('renders what the real Envoy accepts, without a deprecated field', async () => {
    const config = createRenderer().render(sampleProxy(), new DiagnosticBag());
    const log = await validate(staticFormOf(config!));
    expect(log).toContain('OK');
    expect(log).not.toMatch(/deprecated/i);
  });

  test.each([
    ['1024 characters', '/a?'.repeat(341)],
    ['1024 characters of classes', '\\pP'.repeat(341)],
    ['5000 instructions of our count', '\\pP{833}'.repeat(6)],
  ])('leaves room for expressions of %s', async (_, regex) => {
    const config = createRenderer().render(sampleProxy(), new DiagnosticBag());
    const form = staticFormOf(config!) as { static_resources: { listeners: object[] } };
    form.static_resources.listeners.push(listenerWithRegex(regex));
    expect(await validate(form)).toContain('OK');
    const own = { static_resources: { listeners: [listenerWithRegex(regex)] } };
    await expect(validate(own)).rejects.toThrow('max program size of 100');
  });
});

function listenerWithRegex(regex: string): object {
  const extension = (name: string, type: string, config: object): object => ({
    name,
    typed_config: { '@type': `type.googleapis.com/envoy.extensions.filters.${type}`, ...config },
  });
  const routes = [{ match: { safe_regex: { regex } }, direct_response: { status: 200 } }];
  const connections = extension('hcm', 'network.http_connection_manager.v3.HttpConnectionManager', {
    stat_prefix: 'regex',
    route_config: { virtual_hosts: [{ name: 'all', domains: ['*'], routes }] },
    http_filters: [extension('router', 'http.router.v3.Router', {})],
  });
  const address = { socket_address: { address: '127.0.0.1', port_value: 0 } };
  return { name: 'regex', address, filter_chains: [{ filters: [connections] }] };
}
