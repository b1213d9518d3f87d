import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunningProgram, RunResult } from '../../../testbed/program.ts';
import { openSandbox, type Place, repository, type Sandbox } from '../../../testbed/sandbox.ts';
import { node } from '../../../testbed/sidecar.ts';
import { until } from '../../../testbed/until.ts';
import type { Family } from '../../config.ts';
import { type AddressName, addresses, nameAddress } from './addresses.ts';
import { networkScript, workloadLinks } from './network.ts';

export type LabNetwork = 'workload' | 'peer' | 'guest';

/** One attempt to reach a port of a named address; uid and gid own the packets. */
export interface Call {
  readonly from?: LabNetwork;
  readonly to: AddressName;
  readonly port: number;
  readonly uid?: number;
  readonly gid?: number;
  /** Address that the call is made from; the system chooses when absent. */
  readonly source?: AddressName;
  readonly udp?: boolean;
  /** Sent as frames to the workload's link address, past the caller's own routing: any destination may be named. */
  readonly frame?: boolean;
  /** Of a call by frames: what is said first. */
  readonly say?: string;
}

/** A program that says who it is on each of its ports, on every address of both families. */
export interface Listener {
  readonly who: string;
  readonly network: LabNetwork;
  readonly uid: number;
  readonly tcp: readonly number[];
  readonly udp?: readonly number[];
  /** Takes connections to addresses that are not its own (IP_TRANSPARENT), as a proxy under TPROXY does. */
  readonly transparent?: boolean;
}

export interface AgentPlace extends Place {
  /** A command that runs the rest of its command line, in other circumstances. */
  readonly through?: readonly string[];
}

/** Namespaces with real packets, for redirection's tests: reference layout in {@link networkScript}. */
export interface Lab {
  readonly sandbox: Sandbox;
  listen(listener: Listener): Promise<RunningProgram>;
  /**
   * What each call meets, in order: `proxy:15006 for workload:8080 from peer`, or `silent`, or the system's name of the
   * error (`ECONNREFUSED`).
   */
  dial(family: Family, calls: readonly Call[]): Promise<string[]>;
  /** Makes calls, all from one namespace, again and again; `end` gives how often each met whom, in the order of the calls. */
  storm(family: Family, calls: readonly Call[]): Promise<{ end(): Promise<Record<string, number>[]> }>;
  /** Runs the agent's program in the workload, as root of its namespace unless said otherwise. */
  agent(args: readonly string[], place?: AgentPlace): Promise<RunResult>;
  /** Everything that redirection may touch there: rules of both families, policy routes, addresses of lo. */
  state(): Promise<string>;
  close(): Promise<void>;
}

interface Answer {
  readonly who: string;
  readonly port: number;
  readonly from: string;
  readonly for: readonly [string, number] | null;
}

interface Reply {
  readonly answer: Answer | string;
}

// The system's own: in PATH a script that looks for one may come first, and takes ten times as long to start.
const python = '/usr/bin/python3';
const packets = `${repository}/src/redirect/testing/lab/packets.py`;
const applicationUid = 1000;

export async function openLab(isRoot?: boolean): Promise<Lab> {
  const sandbox = await openSandbox(isRoot);
  try {
    await sandbox.must(['sh', '-e'], { stdin: networkScript });
    return new RunningLab(sandbox);
  } catch (error) {
    await sandbox.close();
    throw error;
  }
}

class RunningLab implements Lab {
  readonly sandbox: Sandbox;
  #programs = 0;

  constructor(sandbox: Sandbox) {
    this.sandbox = sandbox;
  }

  listen({ network, ...spec }: Listener): Promise<RunningProgram> {
    return this.#start(['listen', JSON.stringify(spec)], network);
  }

  async dial(family: Family, calls: readonly Call[]): Promise<string[]> {
    const answers = new Map<Call, string>();
    for (const network of new Set(calls.map(({ from = 'workload' }) => from))) {
      const own = calls.filter(({ from = 'workload' }) => from === network);
      const stdin = JSON.stringify(own.map((call) => request(call, family)));
      const text = await this.sandbox.must([python, packets, 'dial'], { network, stdin });
      const replies = JSON.parse(text) as readonly Reply[];
      for (const [i, call] of own.entries()) answers.set(call, formatAnswer(replies[i]?.answer ?? 'nothing'));
    }
    return calls.map((call) => answers.get(call) ?? 'nothing');
  }

  async storm(family: Family, calls: readonly Call[]): Promise<{ end(): Promise<Record<string, number>[]> }> {
    const network = calls[0]?.from ?? 'workload';
    const requests = calls.map((call) => request(call, family));
    const program = await this.#start(['storm', JSON.stringify(requests)], network);
    const end = async (): Promise<Record<string, number>[]> => {
      await program.signal('TERM');
      await program.exited;
      const [, text = ''] = (await readFile(program.output, 'utf8')).split('\n');
      const counts = JSON.parse(text) as readonly (readonly (readonly [Reply, number])[])[];
      return counts.map((one) => Object.fromEntries(one.map(([{ answer }, count]) => [formatAnswer(answer), count])));
    };
    return { end };
  }

  agent(args: readonly string[], { through = [], ...place }: AgentPlace = {}): Promise<RunResult> {
    const argv = [...through, node, `${repository}/dist/pilot-agent.js`, ...args];
    return this.sandbox.run(argv, { network: 'workload', ...place });
  }

  async state(): Promise<string> {
    const text = await this.sandbox.must(['sh', '-e'], { network: 'workload', stdin: stateScript });
    // Counters and the time of the listing are not state.
    return text.replace(/^#.*\n/gm, '').replace(/\[\d+:\d+\]/g, '[0:0]');
  }

  close(): Promise<void> {
    return this.sandbox.close();
  }

  async #start(args: readonly string[], network: LabNetwork): Promise<RunningProgram> {
    this.#programs += 1;
    const output = join(this.sandbox.folder, `packets-${this.#programs}.log`);
    const program = await this.sandbox.start([python, packets, ...args], output, { network });
    const probe = async (): Promise<true | undefined> => {
      const text = await readFile(output, 'utf8');
      if (program.exitCode !== undefined) throw new Error(`${args.join(' ')} ended: ${text}`);
      return text.includes('listening') ? true : undefined;
    };
    await until(probe, { timeoutMs: 90_000, otherwise: async () => `${args.join(' ')} is not ready` });
    return program;
  }
}

/** Tables that are empty print nothing: the first listing of a table makes its built-in chains, which is no change. */
const stateScript = `
PATH="$PATH:/usr/sbin:/sbin"
for save in iptables-save ip6tables-save; do $save | grep -v '^:[A-Z]* ACCEPT' | awk '/^\\*/ { held = $0; next } /^COMMIT/ { held = ""; next } { if (held != "") { print held; held = "" } print }'; done
for family in -4 -6; do ip $family rule; ip $family route show table 133 2>/dev/null || :; done
ip -o addr show dev lo | awk '{ print $4 }'
`;

function request(call: Call, family: Family): object {
  const { to, port, uid = applicationUid, gid = uid, source, udp = false, frame = false, say = '' } = call;
  if (frame) {
    const from = call.from === 'guest' ? 'guest' : 'peer';
    const link = { device: 'eth0', to: workloadLinks[from], say };
    return { to: addresses[to][family], port, uid: 0, gid: 0, source: addresses[from][family], frame: link };
  }
  return { to: addresses[to][family], port, uid, gid, udp, ...(source && { source: addresses[source][family] }) };
}

function formatAnswer(answer: Answer | string): string {
  if (typeof answer === 'string') return answer;
  const asked = answer.for === null ? '' : ` for ${nameAddress(answer.for[0])}:${answer.for[1]}`;
  return `${answer.who}:${answer.port}${asked} from ${nameAddress(answer.from)}`;
}
