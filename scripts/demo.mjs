// The specification's outcome table, and its tokens at a gateway, on real Envoys in network namespaces: see src/testbed/demo.ts.
import './tools/own-node.mjs';

await import('../src/testbed/demo.ts');
