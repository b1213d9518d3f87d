import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** Runs a function in a process of its own after these lines, until V8 optimises it, so many thousand times at most. */
function runOften(most: number, prepare = ''): { readonly isOptimised: boolean; readonly thousands: number } {
  const script = `
    import { saveMemory } from ${JSON.stringify(join(import.meta.dirname, 'save-memory.ts'))};
    ${prepare}
    const add = (list) => list.reduce((sum, each) => sum + each, 0);
    const list = Array.from({ length: 1000 }, (_, i) => i);
    // Bits of V8's answer: by Maglev, by Turbofan.
    const isOptimised = () => (%GetOptimizationStatus(add) & (1 << 5 | 1 << 6)) !== 0;
    let thousands = 0;
    for (; thousands < ${most} && !isOptimised(); thousands++) for (let i = 0; i < 1000; i++) add(list);
    console.log(JSON.stringify({ isOptimised: isOptimised(), thousands }));`;
  const options = ['--no-warnings', '--experimental-strip-types', '--allow-natives-syntax', '--input-type=module'];
  return JSON.parse(execFileSync(process.execPath, [...options, '-e', script], { encoding: 'utf8' }));
}

test('leaves V8 no optimising compiler', () => {
  const usual = runOften(100_000);
  expect(usual.isOptimised).toBe(true);
  // The compilers run beside the function, so that one run needs more calls than another.
  expect(runOften(10 * usual.thousands + 10, 'saveMemory();').isOptimised).toBe(false);
});
