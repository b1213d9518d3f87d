import { describe, expect, test } from 'vitest';
import { readSettings } from '../../config/read.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { defaultMeshConfig, settingsOptionsOf } from './settings-options.ts';

describe('settingsOptionsOf', () => {
  test.each([
    [0, undefined],
    [1, 1],
    [4, 4],
  ])('takes --concurrency %s for %s', (concurrency, expected) => {
    expect(settingsOptionsOf({ concurrency }, {}).flags?.concurrency).toBe(expected);
  });

  test('leaves the number of worker threads to the environment where the flag says 0', async () => {
    const environment = { PROXY_CONFIG: '{concurrency: 3}' };
    const settings = async (concurrency: number) =>
      await readSettings(settingsOptionsOf({ concurrency }, environment), new DiagnosticBag());
    expect((await settings(0)).settings?.proxy.concurrency).toBe(3);
    expect((await settings(2)).settings?.proxy.concurrency).toBe(2);
  });

  test('needs the mesh configuration where it is named, and takes it where it usually lies', () => {
    const { meshConfig } = settingsOptionsOf({ concurrency: 0, meshConfig: '/m' }, {});
    expect(meshConfig).toEqual({ path: '/m', isRequired: true });
    expect(settingsOptionsOf({ concurrency: 0 }, {}).meshConfig).toEqual({
      path: defaultMeshConfig,
      isRequired: false,
    });
  });
});
