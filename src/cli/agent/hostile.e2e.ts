import { mkdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { tries } from '../../testing/effort.ts';
import { doublingPartials, hostileInputs } from './testing/hostile-inputs.ts';
import { ProxyProgram } from './testing/proxy-program.ts';
import { denyPath, serviceMesh } from './testing/sample-mesh.ts';

/**
 * Asks the status port every 20 ms until a file is there. Prints how many milliseconds of a processor the first threads of
 * these processes, which answer probes, took at most while one probe waited, and what was no 200. On a machine that has
 * nothing else to do a probe waits as long; what other programs take of a busy one does not count.
 */
const prober = `
const http = require('node:http'), fs = require('node:fs');
const pids = process.argv.slice(1);
${String(processorMs)}
const now = () => pids.reduce((sum, pid) => sum + processorMs(fs.readFileSync('/proc/' + pid + '/task/' + pid + '/stat', 'utf8')), 0);
let longest = 0, refused = 0, answers = 0;
const ask = () => {
  const before = now();
  const end = (status) => {
    longest = Math.max(longest, now() - before);
    answers += 1;
    if (status !== 200) refused += 1;
    if (fs.existsSync('probed')) console.log(JSON.stringify({ longest, refused, answers }));
    else setTimeout(ask, 20);
  };
  http.get({ port: 15020, host: '127.0.0.1', path: '/healthz/ready', agent: false }, (response) => {
    response.resume().on('end', () => end(response.statusCode));
  }).on('error', () => end(0));
};
ask();
`;

/** What the agent promises. */
const most = { probeMs: 500, stopMs: 1_000 };

/** Of a thread, from its line in `/proc` (proc_pid_stat(5)), which counts hundredths of a second. */
function processorMs(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return 10 * (Number(fields[11]) + Number(fields[12]));
}

describe('pilot-agent proxy, given hostile inputs while it runs', () => {
  let proxy: ProxyProgram;
  beforeEach(async () => {
    proxy = await ProxyProgram.create(serviceMesh);
    await proxy.write('mesh/p.yaml', denyPath('/first'));
  });
  afterEach(() => proxy.close());

  const probed = async (work: () => Promise<void>): Promise<{ longest: number; refused: number; answers: number }> => {
    const pids = [proxy.pid, proxy.envoyPid].map(String);
    const probing = proxy.runBeside([process.execPath, '-e', prober, ...pids]);
    await work();
    await proxy.write('probed', '');
    return JSON.parse(await probing);
  };
  /** At once, as a whole. */
  const put = async (name: string, text: string): Promise<void> => {
    await proxy.write('new.tmp', text);
    await rename(join(proxy.folder, 'new.tmp'), join(proxy.folder, name));
  };
  const stopsAtOnce = async (): Promise<void> => {
    const spent = async (): Promise<number> =>
      processorMs(await readFile(`/proc/${proxy.pid}/task/${proxy.pid}/stat`, 'utf8'));
    const before = await spent();
    proxy.signal('SIGTERM');
    await proxy.logged('asked to stop');
    expect((await spent()) - before).toBeLessThan(most.stopMs);
    expect(await proxy.exit).toBe(0);
  };

  test('answers probes in time, says what is wrong in lines of at most 16 KB, keeps what is in force, and stops at once', async () => {
    const inputs = Object.values(hostileInputs).filter(({ isLong }) => !isLong || tries(1) > 1);
    proxy.start();
    await proxy.untilReady();
    const { longest, refused, answers } = await probed(async () => {
      for (const { text, outcome } of inputs) {
        await put('mesh/h.yaml', text());
        await proxy.logged(outcome);
      }
    });
    expect(refused).toBe(0);
    expect(answers).toBeGreaterThan(20);
    expect(longest).toBeLessThan(most.probeMs);
    expect(await proxy.read('listeners.json')).toContain('"exact": "/first"');
    const records = proxy.stdout.split(/^(?=\d{4}-\d\d-\d\dT)/m).map((record) => Buffer.byteLength(record));
    expect(Math.max(...records)).toBeLessThanOrEqual(16_384);
    // In the middle of a compilation.
    await put('mesh/h.yaml', hostileInputs['policies of one name']?.text() ?? '');
    await new Promise((resolve) => setTimeout(resolve, 300));
    await stopsAtOnce();
  });

  test('answers probes, and stops at once, while partials of a template call each other without end', async () => {
    await mkdir(join(proxy.folder, 'templates/partials'), { recursive: true });
    for (const [name, text] of Object.entries(doublingPartials()))
      await proxy.write(`templates/partials/${name}.hbs`, text);
    proxy.start({ args: ['--policies', 'mesh', '--templateFile', 'templates'] });
    await proxy.untilReady();
    const { longest, refused } = await probed(async () => {
      const ours = await readFile('templates/listeners.json.hbs', 'utf8');
      await put('templates/listeners.json.hbs', `{{> d0}}${ours}`);
      await new Promise((resolve) => setTimeout(resolve, 1_500));
    });
    expect(refused).toBe(0);
    expect(longest).toBeLessThan(most.probeMs);
    await stopsAtOnce();
  });
});
