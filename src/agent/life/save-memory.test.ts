import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** Whether V8 optimises a function that runs for so long in a process of its own, after these lines. */
function isOptimised(longestMs: number, prepare = ''): string {
  const script = `
    import { saveMemory } from ${JSON.stringify(join(import.meta.dirname, 'save-memory.ts'))};
    ${prepare}
    const add = (list) => list.reduce((sum, each) => sum + each, 0);
    const list = Array.from({ length: 1000 }, (_, i) => i);
    // Bits of V8's answer: by Maglev, by Turbofan.
    const optimised = () => (%GetOptimizationStatus(add) & (1 << 5 | 1 << 6)) !== 0;
    const end = performance.now() + ${longestMs};
    while (performance.now() < end && !optimised()) for (let i = 0; i < 1000; i++) add(list);
    console.log(optimised());`;
  const options = ['--no-warnings', '--experimental-strip-types', '--allow-natives-syntax', '--input-type=module'];
  return execFileSync(process.execPath, [...options, '-e', script], { encoding: 'utf8' }).trim();
}

test('leaves V8 no optimising compiler', () => {
  expect(isOptimised(60_000)).toBe('true');
  expect(isOptimised(500, 'saveMemory();')).toBe('false');
});
