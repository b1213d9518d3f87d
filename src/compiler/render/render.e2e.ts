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
});
