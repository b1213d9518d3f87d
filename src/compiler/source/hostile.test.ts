import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { expect, test } from 'vitest';

interface Outcome {
  readonly shape: string;
  readonly milliseconds: number;
  readonly thrown: string | undefined;
}

/** One process reads every shape, so that its peak is the largest of all; processor time, so that neighbours do not count. */
const program = `
import { parse } from './parse.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { hostileShapes } from './hostile-shapes.ts';
const outcomes = Object.entries(hostileShapes()).map(([shape, text]) => {
  const start = process.cpuUsage();
  let thrown;
  try {
    const bag = new DiagnosticBag();
    for (const document of parse([{ path: 'a.yaml', text }], bag).slice(0, 20)) document.spanOf(['a', 5, 'b']);
  } catch (error) { thrown = String(error); }
  const { user, system } = process.cpuUsage(start);
  return { shape, milliseconds: (user + system) / 1000, thrown };
});
console.log(JSON.stringify({ outcomes, peakMb: process.resourceUsage().maxRSS / 1024 }));
`;

test('hostile inputs of half a megabyte cost less than a second and 200 MB', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hostile-'));
  try {
    const outfile = join(folder, 'program.mjs');
    buildSync({
      stdin: { contents: program, resolveDir: import.meta.dirname, loader: 'ts' },
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile,
      banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
      logLevel: 'silent',
    });
    const options = ['--max-old-space-size=120', outfile];
    const printed = execFileSync(process.execPath, options, { encoding: 'utf8', env: {} });
    const { outcomes, peakMb } = JSON.parse(printed) as { outcomes: Outcome[]; peakMb: number };
    expect(outcomes.filter(({ thrown }) => thrown !== undefined)).toEqual([]);
    expect(outcomes.filter(({ milliseconds }) => milliseconds > 1000)).toEqual([]);
    expect(peakMb).toBeLessThan(200);
    expect(outcomes.length).toBeGreaterThan(40);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
