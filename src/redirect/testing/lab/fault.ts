import { scratch } from '../../../testbed/sandbox.ts';
import type { Lab } from './lab.ts';

/**
 * What goes wrong at one of the commands that change something. The agent `is killed` (SIGKILL) before or after it, or
 * asked to stop (SIGTERM) after it; the command `fails`, at once or after the first table of its input (a restore commits
 * table by table).
 */
export const faults = [
  'fails',
  'fails half way',
  'is killed before',
  'is killed half way',
  'is killed after',
  'is stopped after',
] as const;

export type Fault = (typeof faults)[number];

/** Stand-ins for the commands of the packet filter and of routing, which make a fault at the right moment. */
export interface FaultyCommands {
  /** Variables for the agent: the fault at the command of this number, counted from 1; none when absent. */
  environment(fault?: Fault, at?: number): Promise<Readonly<Record<string, string>>>;
  /** Command lines that changed something, or were to, since the last call of `environment`. */
  changes(): Promise<string[]>;
}

const folder = `${scratch}/faulty`;

/** Only commands that change something are counted; what they read comes in no fixed order. */
const standIn = `#!/bin/sh
name=\${0##*/}
real=/usr/sbin/$name
[ -x "$real" ] || real=/usr/bin/$name
case "$name $*" in
  *-restore\\ --version*) exec "$real" "$@" ;;
  *-restore*|ip\\ *\\ add\\ *|ip\\ *\\ del\\ *) ;;
  *) exec "$real" "$@" ;;
esac
echo "$name $*" >> ${folder}/changes
[ "$(wc -l < ${folder}/changes)" = "$FAULT_AT" ] || exec "$real" "$@"
half() { case "$name" in ip) cat >/dev/null ;; *) sed '/^COMMIT/q' | "$real" "$@" ;; esac; }
case "$FAULT" in
  'fails') echo 'the test wants it so' >&2; exit 1 ;;
  'fails half way') half "$@"; echo 'the test wants it so' >&2; exit 1 ;;
  'is killed before') kill -KILL $PPID ;;
  'is killed half way') half "$@"; kill -KILL $PPID ;;
  'is killed after') "$real" "$@"; kill -KILL $PPID ;;
  'is stopped after') "$real" "$@"; code=$?; kill -TERM $PPID; exit $code ;;
esac
`;

const commands = ['iptables-restore', 'ip6tables-restore', 'ip'];

export async function installFaults({ sandbox }: Lab): Promise<FaultyCommands> {
  const script = `mkdir -p ${folder}; cd ${folder}; cat > ${commands[0]}; for n in ${commands.slice(1).join(' ')}; do cp ${commands[0]} $n; done; chmod 755 *`;
  await sandbox.must(['sh', '-ec', script], { stdin: standIn });
  return {
    environment: async (fault, at = 0) => {
      await sandbox.must(['sh', '-c', `: > ${folder}/changes`]);
      const path = `${folder}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin`;
      return { PATH: path, FAULT: fault ?? '', FAULT_AT: String(at) };
    },
    changes: async () => (await sandbox.must(['cat', `${folder}/changes`])).split('\n').slice(0, -1),
  };
}
