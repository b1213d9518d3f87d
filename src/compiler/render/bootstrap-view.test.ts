import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bootstrapIR } from '../../testing/ir.ts';
import { bootstrapView } from './bootstrap-view.ts';

const everything = bootstrapView(
  bootstrapIR({
    locality: { region: 'r', zone: 'z', subZone: 's' },
    overload: { maxConnections: 1, maxHeapBytes: 2, keptHeapBytes: 1 },
    reports: {
      collectors: [{ name: 'c', host: 'name', port: 1, isGrpc: true }],
      statsd: { host: '127.0.0.1', port: 1 },
      metricsService: 'c',
    },
  }),
  'ads',
);

describe('bootstrapView', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/reference/templates.md'), 'utf8');
  const rows = page.split('## What a bootstrap template sees')[1]?.split('\n## ')[0]?.split('\n') ?? [];

  test('is what docs/reference/templates.md says a bootstrap template sees', () => {
    const names = rows.flatMap((row) => [...(/^\| (`.*?) \|/.exec(row)?.[1] ?? '').matchAll(/`(\w+)`/g)]);
    expect(names.map(([, name]) => name).sort()).toEqual(Object.keys(everything).sort());
  });

  test.each(['staticListeners', 'staticClusters'] as const)('has in %s what the page says', (list) => {
    const row = rows.find((text) => text.startsWith(`| \`${list}\``)) ?? '';
    const documented = /\{([^}]*)\}/.exec(row)?.[1]?.split(', ') ?? [];
    expect(documented.sort()).toEqual(Object.keys(everything[list].at(-1) ?? {}).sort());
  });
});
