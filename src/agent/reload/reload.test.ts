import { describe, expect, test } from 'vitest';
import { createAdminClient } from '../../envoy/admin.ts';
import { createLog } from '../log/log.ts';
import { sampleFiles } from '../testing/sample-proxy.ts';
import type { ConfigFiles } from './config-files.ts';
import { Reloader } from './reload.ts';

const sample = { configPath: '/run/proxy', adminPort: 1, httpPort: 2 };

describe('Reloader', () => {
  test('keeps the last good configuration when the world fails in the middle of a change', async () => {
    const lines: string[] = [];
    const first = sampleFiles({ ...sample, body: 'first' });
    const reloader = new Reloader(first, {
      compile: async () => ({ files: sampleFiles({ ...sample, body: 'second' }), warnings: [] }),
      check: () => undefined,
      validate: () => Promise.reject(new Error('EACCES: permission denied, mkdtemp')),
      files: {} as ConfigFiles,
      admin: createAdminClient({ port: 1 }),
      log: createLog({ isJson: false, level: 'info', write: (line) => lines.push(line) }),
      signal: new AbortController().signal,
    });
    expect(await reloader.reload()).toBe(false);
    expect(reloader.current).toBe(first);
    expect(lines.join('')).toContain('EACCES: permission denied, mkdtemp');
  });
});
