import { describe, expect, test } from 'vitest';
import { readSettings } from '../config/read.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { compileFixture, readFixture } from '../testing/fixture.ts';
import { meshFigureSamples, twoPortsOfOneNumber } from '../testing/mesh-figure-samples.ts';
import { compile } from './compile.ts';
import type { MeshFigures } from './mesh-figures.ts';

async function figuresOf(name: string): Promise<MeshFigures> {
  const compilation = compileFixture(await readFixture('fixtures/ok', name));
  return compilation!.figures;
}

describe('meshFigures', () => {
  test.each(meshFigureSamples)('counts %s in %s', async (gauge, name, expected) => {
    expect((await figuresOf(name)).gauges[gauge]).toBe(expected);
    expect((await figuresOf('input-json')).gauges[gauge]).toBe(0);
  });

  test('counts pilot_duplicate_envoy_clusters of a host with two ports of one number', async () => {
    const bag = new DiagnosticBag();
    const { settings } = await readSettings({ meshConfig: undefined, environment: {} }, bag);
    const files = [{ path: 'mesh.yaml', text: twoPortsOfOneNumber }];
    const compilation = compile({ settings, files, select: 'all' }, bag);
    expect(compilation?.figures.gauges.pilot_duplicate_envoy_clusters).toBe(1);
  });

  test('names the gateways whose servers were left out', async () => {
    expect((await figuresOf('gateway-two-tcp-servers')).rejected).toEqual([
      { kind: 'gateway', namespace: 'shop', name: 'shop' },
    ]);
  });
});
