// Runs the mesh of a folder on this machine, a command in it, and removes everything: see src/testbed/try-mesh.ts.
import './tools/own-node.mjs';

await import('../src/testbed/try-mesh.ts');
