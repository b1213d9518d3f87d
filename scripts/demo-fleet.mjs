// A fleet that meshd serves, on real Envoys in network namespaces: see e2e/demo/demo-fleet.ts.
import './tools/own-node.mjs';

await import('../e2e/demo/demo-fleet.ts');
