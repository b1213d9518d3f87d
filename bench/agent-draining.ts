import { AgentFolder } from './agent-folder.ts';
import { line, ms } from './measure.ts';

const runs = 5;
const drainSeconds = 2;

/** From the call that drains Envoy to its SIGTERM, both as Envoy's own log times them, beside the time that is configured. */
export async function agentDraining(): Promise<void> {
  const folder = await AgentFolder.create(0);
  try {
    const times: number[] = [];
    for (let i = 0; i < runs; i += 1) times.push(await drainOnce(folder));
    const off = times.map((time) => time - drainSeconds * 1_000);
    line(
      `drain call to SIGTERM, ${drainSeconds} s configured, ${runs} runs`,
      `from ${ms(Math.min(...times))} to ${ms(Math.max(...times))}`,
      `at most ${Math.max(...off.map(Math.abs)).toFixed(1)} ms off`,
    );
  } finally {
    await folder.remove();
  }
}

async function drainOnce(folder: AgentFolder): Promise<number> {
  const agent = folder.start({
    flags: ['--proxyComponentLogLevel', 'misc:error,admin:debug,main:info'],
    environment: { TERMINATION_DRAIN_DURATION_SECONDS: String(drainSeconds) },
  });
  await agent.seen('state=running');
  await agent.end();
  const called = timeOf(agent.output, /request complete: path: \/drain_listeners/);
  return timeOf(agent.output, /caught ENVOY_SIGTERM/) - called;
}

/** Of a line of the log, in milliseconds since the epoch with fractions. */
function timeOf(output: string, pattern: RegExp): number {
  const found = output.split('\n').find((text) => pattern.test(text)) ?? '';
  const [, seconds = '', fraction = ''] = /^(\S+T\d+:\d+:\d+)\.(\d+)/.exec(found) ?? [];
  if (seconds === '') throw new Error(`no line ${pattern} in:\n${output}`);
  return Date.parse(`${seconds}Z`) + Number(`0.${fraction}`) * 1_000;
}
