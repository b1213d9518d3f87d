import { takeNodeWarnings } from '../agent/life/node-warnings.ts';
import { saveMemory } from '../agent/life/save-memory.ts';
import { listenForSignals } from '../agent/life/signals.ts';

// Before anything else, the other imports too: a signal that comes while the program loads is a wish to stop.
const signals = listenForSignals();
const warnings = takeNodeWarnings();
// A reader of our log that went away ends its log, not the proxy.
process.stdout.on('error', () => undefined);
process.stderr.on('error', () => undefined);

// Places in the code, where the log names them, are those of the source. Node reads the maps of what it loads from now on.
if (process.argv.some((argument) => /^--log_(caller|stacktrace_level)/.test(argument)))
  process.setSourceMapsEnabled(true);

// Whatever leaves nothing to wait for before the agent has said how it ended is a fault, which 0 would hide.
process.exitCode = 70;
const context = { environment: process.env, signals, warnings, saveMemory };
// Not awaited at the top: an older Node, which is told so before this, could not read that.
void import('../cli/agent/pilot-agent.ts').then(async ({ runPilotAgent }) => {
  process.exit(await runPilotAgent(process.argv.slice(2), context));
});
