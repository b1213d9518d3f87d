import { takeNodeWarnings } from '../agent/life/node-warnings.ts';
import { processIo } from '../cli/io.ts';
import { runMeshpol } from '../cli/meshpol.ts';

// Standard error holds diagnostics and nothing else; what Node warns of is about the program, not about its input.
takeNodeWarnings();
process.exitCode = await runMeshpol(process.argv.slice(2), processIo());
