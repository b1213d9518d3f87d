import { runInProcess } from '../../testing/run-in-process.ts';
import { runPilotAgent } from '../pilot-agent.ts';

/** Exit code and both outputs of one command line of `pilot-agent`, which runs in this process. */
export const runLine = (line: string, environment?: Readonly<Record<string, string>>) =>
  runInProcess(runPilotAgent, line, environment);
