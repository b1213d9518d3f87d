import { describe, expect, test } from 'vitest';
import { startBench } from '../testing/agent-bench.ts';

describe('serveStatus', () => {
  test('is missed aloud where the configuration has no status port', async () => {
    const bench = await startBench({ config: { statusPort: 0 }, problems: ['that is all'] });
    expect(await bench.exitCode).toBe(1);
    expect(bench.lines.join('')).toMatch(/\twarn\twithout a status port .* port 15021 answers 503\n/);
    await bench.close();
  });
});
