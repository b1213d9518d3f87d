import { describe, expect, test } from 'vitest';
import { stopPlan } from './stop-plan.ts';

const config = { terminationDrain: 'plain', terminationDrainMs: 5_000, drainDurationMs: 45_000 } as const;

describe('stopPlan', () => {
  test.each([
    [config, 'on SIGTERM: plain drain of 5 s, SIGTERM to Envoy, SIGKILL 2 s later; 7 s at the most'],
    [
      { ...config, terminationDrain: 'graceful', terminationDrainMs: 2_500 } as const,
      'on SIGTERM: graceful drain of 2.5 s, SIGTERM to Envoy, SIGKILL 2 s later; 4.5 s at the most',
    ],
    [
      { ...config, terminationDrainMs: 0 },
      'on SIGTERM: no drain, SIGTERM to Envoy, SIGKILL 2 s later; 2 s at the most',
    ],
    [
      { ...config, terminationDrainMs: 60_000, earliestDrainEndMs: 5_000 },
      'on SIGTERM: plain drain of 60 s, or 5 s once no connection is open, SIGTERM to Envoy, SIGKILL 2 s later; 62 s at the most',
    ],
  ])('says what will be: %j', (given, text) => {
    expect(stopPlan(given)).toEqual({ text, warnings: [] });
  });

  test('warns if stopping takes longer than the time that the agent has', () => {
    expect(stopPlan({ ...config, terminationGraceMs: 7_000 }).warnings).toEqual([]);
    const { warnings } = stopPlan({ ...config, terminationDrainMs: 30_000, terminationGraceMs: 30_000 });
    expect(warnings).toEqual([
      expect.stringMatching(/^a stop may take 32 s, but the agent is killed 30 s after SIGTERM/),
    ]);
  });

  test('warns of an early end that cannot come', () => {
    const { text, warnings } = stopPlan({ ...config, earliestDrainEndMs: 5_000 });
    expect(text).not.toContain('once no connection');
    expect(warnings).toEqual([expect.stringContaining('MINIMUM_DRAIN_DURATION is 5 s')]);
  });
});
