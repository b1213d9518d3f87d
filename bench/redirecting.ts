import { type Lab, openLab } from '../src/redirect/testing/lab/lab.ts';
import { line, median, ms, ratio } from './measure.ts';

const standard = ['-u', '1337', '-g', '1337', '-b', '*', '-d', '15090,15021,15020', '-i', '*'];
const network = 'workload';

/** 5,000 ranges that lie beside each other: nothing folds them. */
const excluded = Array.from({ length: 5_000 }, (_, i) => `10.${128 + (i >> 8)}.${i & 255}.0/24`).join();

/**
 * Wall time of `pilot-agent istio-iptables` in a network namespace, process start included, beside `iptables-restore`
 * alone with the same rules: an empty namespace, the rules in place already, rules of the other mode to replace.
 */
export async function redirecting(): Promise<void> {
  const lab = await openLab();
  try {
    for (const [label, flags] of [
      ['the standard list', standard],
      ['5,000 excluded ranges', [...standard, '-x', excluded]],
    ] as const) {
      const bare = await restoreAlone(lab, flags);
      const report = (what: string, time: number): void =>
        line(`${label}, ${what}`, ms(time), `${ratio(time / bare)} iptables-restore (${ms(bare)})`);
      report('in an empty namespace', await timed(() => setUp(lab, flags), clean(lab)));
      report(
        'in place already',
        await timed(
          () => setUp(lab, flags),
          () => setUp(lab, flags),
        ),
      );
      report(
        'in place of TPROXY',
        await timed(
          () => setUp(lab, flags),
          () => setUp(lab, [...flags, '-m', 'TPROXY']),
        ),
      );
      report('removed', await timed(clean(lab), () => setUp(lab, flags)));
    }
  } finally {
    await lab.close();
  }
}

/** Median of five, each after `before`, which is not counted. */
async function timed(work: () => Promise<void>, before: () => Promise<void>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 5; i += 1) {
    await before();
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  }
  return median(times);
}

async function setUp(lab: Lab, flags: readonly string[]): Promise<void> {
  await must(lab, ['istio-iptables', ...flags]);
}

function clean(lab: Lab): () => Promise<void> {
  return () => must(lab, ['istio-clean-iptables']);
}

async function must(lab: Lab, args: readonly string[]): Promise<void> {
  const { exitCode, stderr } = await lab.agent(args, { timeoutMs: 120_000 });
  if (exitCode !== 0) throw new Error(`${args[0]} ended with ${exitCode}: ${stderr}`);
}

/** The same rules of both families, by the tools alone. */
async function restoreAlone(lab: Lab, flags: readonly string[]): Promise<number> {
  await setUp(lab, flags);
  const saved = await Promise.all(
    ['iptables', 'ip6tables'].map(
      async (tool) => [tool, await lab.sandbox.must([`${tool}-save`], { network })] as const,
    ),
  );
  await clean(lab)();
  return timed(async () => {
    for (const [tool, stdin] of saved) await lab.sandbox.must([`${tool}-restore`], { network, stdin });
  }, clean(lab));
}
