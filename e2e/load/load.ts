import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { within } from '../../src/lib/abort.ts';
import { applicationUid } from '../../src/testbed/curl.ts';
import { repository, type Sandbox, scratch } from '../../src/testbed/sandbox.ts';
import { node } from '../../src/testbed/sidecar.ts';
import { until } from '../../src/testbed/until.ts';
import { tries } from '../../src/testing/effort.ts';
import type { LoadCounts } from './counts.ts';
import type { LoadOrder, LoadTarget } from './order.ts';

/** As {@link LoadOrder}, and where the client runs. */
export interface LoadOptions extends Partial<Omit<LoadOrder, 'targetsFile'>> {
  /** Network namespace of the client. */
  readonly network: string;
  /** Of several loads that run in it at the same time; the name of the namespace when absent. */
  readonly name?: string;
  readonly targets: readonly LoadTarget[];
}

/** A load client that runs. */
export interface RunningLoad {
  /** Whom the next requests go to. */
  use(targets: readonly LoadTarget[]): Promise<void>;
  /** As `use`, with another list; returns when no request to anybody else is in flight. */
  moveTo(targets: readonly LoadTarget[]): Promise<void>;
  /** Asks for the end and gives the counts when the last answer has come. */
  stop(): Promise<LoadCounts>;
  /** The counts of a client that ends by itself at its limit. */
  readonly ended: Promise<LoadCounts>;
}

/** Requests a second, in each of the three manners: 30, and 50 in `make soak`. */
const perSecond = tries(30, 5 / 3);

/** The last answers may take their deadline of 10 s. */
const endsWithinMs = 30_000;

/** Starts a load client in a pod; returns when it calls. */
export async function startLoad(sandbox: Sandbox, options: LoadOptions): Promise<RunningLoad> {
  const { network, targets, name: own = network, ...order } = options;
  const name = `${own}-load`;
  let lists = 0;
  const use = async (next: readonly LoadTarget[]): Promise<void> => {
    const beside = join(sandbox.folder, `${name}-next.json`);
    await writeFile(beside, JSON.stringify(next), { mode: 0o644 });
    await rename(beside, join(sandbox.folder, `${name}.json`));
    lists += 1;
  };
  await use(targets);
  const full: LoadOrder = {
    ...{ path: '/', perSecond, deadlineMs: 10_000, status: 200, lines: 1 },
    ...order,
    targetsFile: join(scratch, `${name}.json`),
  };
  const output = join(sandbox.folder, `${name}.log`);
  await writeFile(output, '');
  const argv = [node, `${repository}/e2e/load/client.ts`, JSON.stringify(full)];
  const program = await sandbox.start(argv, output, { network, uid: applicationUid });
  const untilSaid = (line: string): Promise<true> =>
    until(async () => ((await readFile(output, 'utf8')).includes(`${line}\n`) ? true : undefined), {
      timeoutMs: 90_000,
      otherwise: async () => `no "${line}" of the load: ${await readFile(output, 'utf8')}`,
    });
  await untilSaid('calling');
  const ended = program.exited.then(async (code): Promise<LoadCounts> => {
    const text = await readFile(output, 'utf8');
    const [line] = text.split('\n').filter((one) => one.startsWith('{'));
    if (code !== 0 || line === undefined) throw new Error(`the load client ended with ${code}: ${text}`);
    return JSON.parse(line);
  });
  // Who asks for the counts gets the error; until then nobody misses it.
  ended.catch(() => undefined);
  return {
    use,
    moveTo: async (next) => {
      await use(next);
      await untilSaid(`moved ${lists}`);
    },
    ended,
    stop: async () => {
      await program.signal('TERM');
      const counts = await within(endsWithinMs, ended);
      if (counts === undefined) throw new Error(`the load client of ${network} does not end`);
      return counts;
    },
  };
}
