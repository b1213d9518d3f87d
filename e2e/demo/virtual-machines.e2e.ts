import { expect, test } from 'vitest';
import { describeMesh } from '../testing/describe-mesh.ts';
import { startScript, untilGone } from '../testing/started-script.ts';
import { callers, workloads } from './machine-plan.ts';

const isUser = process.getuid?.() !== 0;
if (isUser) process.stderr.write('SKIPPED: make virtual-machines: systemd in namespaces needs root\n');

/** The table's line of a caller, when each of these workloads lets in those that it names. */
function row(from: string, letIn: Readonly<Record<string, readonly string[]>>): RegExp {
  const statuses = workloads.map((to) => (to === from ? '-' : letIn[to]?.includes(from) ? '200' : '403'));
  return new RegExp(`^ +${from} +${statuses.join(' +')}$`, 'gm');
}

describeMesh('virtual-machines', () => {
  test.skipIf(isUser)(
    'shows who may call whom by names of the mesh, commits in force, and no failed call while a meshd is away',
    async () => {
      const demo = await startScript('virtual-machines');
      const code = await demo.ended;
      const output = demo.output();
      expect(output).toMatch(/every outcome is as expected, and none of \d+ calls failed/);
      expect(code).toBe(0);
      // Before the first commit, after it, and after the one that takes it back.
      for (const from of workloads.filter((name) => name !== 'frontend'))
        expect([from, output.match(row(from, callers))?.length]).toEqual([from, 3]);
      expect(output.match(row('frontend', callers))).toHaveLength(2);
      expect(output.match(row('frontend', { ...callers, mail: ['frontend'] }))).toHaveLength(1);
      expect(output.match(/acknowledged it:(,? \w+ \d+ ms){6}$/gm)).toHaveLength(2);
      expect(output).toMatch(/meshd-1 is killed/);
      await untilGone(demo);
    },
    600_000,
  );
});
