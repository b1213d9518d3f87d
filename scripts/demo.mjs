// The specification's outcome table, and its tokens at a gateway, on real Envoys in network namespaces: see e2e/demo/demo.ts.
import './tools/own-node.mjs';

await import('../e2e/demo/demo.ts');
