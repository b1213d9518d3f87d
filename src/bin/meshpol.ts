import { processIo } from '../cli/io.ts';
import { runMeshpol } from '../cli/meshpol.ts';

process.exitCode = await runMeshpol(process.argv.slice(2), processIo());
