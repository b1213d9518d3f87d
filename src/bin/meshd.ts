import { takeNodeWarnings } from '../agent/life/node-warnings.ts';
import { listenForSignals } from '../agent/life/signals.ts';

// Before anything else, the other imports too: a signal that comes while the program loads is a wish to stop.
const signals = listenForSignals();
const warnings = takeNodeWarnings();
// A reader of our log that went away ends its log, not the control plane.
process.stdout.on('error', () => undefined);
process.stderr.on('error', () => undefined);

// An idle meshd would lose the bytecode of what a change runs, and the first one after a quiet time would take twice as long.
process.getBuiltinModule('node:v8').setFlagsFromString('--no-flush-bytecode');

const { runMeshd } = await import('../cli/control/meshd.ts');
process.exit(await runMeshd(process.argv.slice(2), { environment: process.env, signals, warnings }));
