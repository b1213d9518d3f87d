import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hostileShapes } from './hostile-shapes.ts';

/** A process a shape, so that its peak is its own; processor time, so that neighbours do not count. */
const program = `
import { parse } from './parse.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { hostileShapes } from './hostile-shapes.ts';
const text = hostileShapes()[process.argv[2]];
const bag = new DiagnosticBag();
const start = process.cpuUsage();
for (const document of parse([{ path: 'a.yaml', text }], bag).slice(0, 20)) document.spanOf(['a', 5, 'b']);
const { user, system } = process.cpuUsage(start);
console.log(JSON.stringify({
  milliseconds: (user + system) / 1000,
  peakMb: process.resourceUsage().maxRSS / 1024,
  diagnostics: bag.all.length,
}));
`;

interface Outcome {
  readonly milliseconds: number;
  readonly peakMb: number;
  readonly diagnostics: number;
}

describe('hostile inputs of half a megabyte', () => {
  let folder: string;
  let outfile: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'hostile-'));
    outfile = join(folder, 'program.mjs');
    buildSync({
      stdin: { contents: program, resolveDir: import.meta.dirname, loader: 'ts' },
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile,
      banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
      logLevel: 'silent',
    });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('come in more than forty shapes', () => {
    expect(Object.keys(hostileShapes()).length).toBeGreaterThan(40);
  });

  test.each(Object.keys(hostileShapes()))('of shape "%s" cost less than a second and 200 MB', (shape) => {
    // What V8 may take for new objects beside them is its own choice, and twice as much on Node 24 as on Node 22.
    const limits = ['--max-old-space-size=120', '--max-semi-space-size=16'];
    const printed = execFileSync(process.execPath, [...limits, outfile, shape], {
      encoding: 'utf8',
      env: {},
    });
    const { milliseconds, peakMb } = JSON.parse(printed) as Outcome;
    expect(milliseconds).toBeLessThan(1000);
    expect(peakMb).toBeLessThan(200);
  });
});
